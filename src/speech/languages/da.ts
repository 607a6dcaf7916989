// Danish.
import { type Language, wordSet } from "./language.ts";

export const DA: Language = {
  englishNames: ["danish"],
  greeting: (name) => (name ? `Hej, jeg hedder ${name}. Hvad kan jeg hjælpe med?` : "Hej. Hvad kan jeg hjælpe med?"),
  fixedSentences: {
    failed: "Undskyld, jeg kan ikke svare lige nu. Spørg mig igen.",
    "no-llm": "Jeg kan høre dig, men jeg har ingen sprogmodel at svare med.",
    "not-understood": "Undskyld, det forstod jeg ikke. Kan du sige det igen?",
  },
  frequentWords: wordSet("du er og en et med som for på ikke til det der har den kan fra eller skal også blive"),
  textSearch: "danish",
};
