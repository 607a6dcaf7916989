// Slovak.
import type { Language } from "./language.ts";

export const SK: Language = {
  englishNames: ["slovak"],
  greeting: (name) => (name ? `Dobrý deň, som ${name}. S čím môžem pomôcť?` : "Dobrý deň. S čím môžem pomôcť?"),
  fixedSentences: {
    failed: "Prepáčte, teraz nemôžem odpovedať. Spýtajte sa prosím znova.",
    "no-llm": "Počujem vás, ale nemám jazykový model, aby som odpovedal.",
    "not-understood": "Prepáčte, nerozumel som. Môžete to zopakovať?",
  },
};
