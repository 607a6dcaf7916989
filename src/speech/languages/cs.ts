// Czech.
import { type Language, wordSet } from "./language.ts";

export const CS: Language = {
  englishNames: ["czech"],
  greeting: (name) => (name ? `Dobrý den, jsem ${name}. S čím mohu pomoci?` : "Dobrý den. S čím mohu pomoci?"),
  fixedSentences: {
    failed: "Promiňte, teď nemohu odpovědět. Zeptejte se prosím znovu.",
    "no-llm": "Slyším vás, ale nemám jazykový model, abych odpověděl.",
    "not-understood": "Promiňte, nerozuměl jsem. Můžete to zopakovat?",
  },
  frequentWords: wordSet("jsi je a s na se že pro který jako"),
};
