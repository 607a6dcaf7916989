// Slovenian.
import type { Language } from "./language.ts";

export const SL: Language = {
  englishNames: ["slovenian"],
  greeting: (name) =>
    name ? `Pozdravljeni, jaz sem ${name}. Kako lahko pomagam?` : "Pozdravljeni. Kako lahko pomagam?",
  fixedSentences: {
    failed: "Oprostite, trenutno ne morem odgovoriti. Prosim, vprašajte znova.",
    "no-llm": "Slišim vas, vendar nimam jezikovnega modela za odgovor.",
    "not-understood": "Oprostite, nisem razumel. Lahko ponovite?",
  },
};
