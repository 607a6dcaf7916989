// Hungarian.
import { type Language, wordSet } from "./language.ts";

export const HU: Language = {
  englishNames: ["hungarian"],
  greeting: (name) => (name ? `Szia, ${name} vagyok. Miben segíthetek?` : "Szia. Miben segíthetek?"),
  fixedSentences: {
    failed: "Elnézést, most nem tudok válaszolni. Kérem, kérdezze meg újra.",
    "no-llm": "Hallom önt, de nincs nyelvi modellem a válaszhoz.",
    "not-understood": "Elnézést, ezt nem értettem. Megismételné?",
  },
  frequentWords: wordSet("te vagy és egy aki nem hogy az is meg ez volt azt csak már még"),
  textSearch: "hungarian",
};
