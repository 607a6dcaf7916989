// Dutch.
import { type Language, wordSet } from "./language.ts";

export const NL: Language = {
  englishNames: ["dutch"],
  greeting: (name) => (name ? `Hallo, ik ben ${name}. Wat kan ik voor je doen?` : "Hallo. Wat kan ik voor je doen?"),
  fixedSentences: {
    failed: "Sorry, ik kan nu geen antwoord geven. Vraag het me nog eens.",
    "no-llm": "Ik hoor je, maar ik heb geen taalmodel om te antwoorden.",
    "not-understood": "Sorry, dat heb ik niet verstaan. Kun je het herhalen?",
  },
  backchannels: "ja|ok|oke|okay|precies|klopt|goed|juist|snap ik",
  frequentWords: wordSet(
    "de het een je bent is en met van die voor niet op zijn dat aan deze worden ook maar naar bij " + "wordt",
  ),
  textSearch: "dutch",
};
