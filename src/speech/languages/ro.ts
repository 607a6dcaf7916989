// Romanian.
import { type Language, wordSet } from "./language.ts";

export const RO: Language = {
  englishNames: ["romanian"],
  greeting: (name) => (name ? `Bună, eu sunt ${name}. Cu ce pot ajuta?` : "Bună. Cu ce pot ajuta?"),
  fixedSentences: {
    failed: "Îmi pare rău, acum nu pot răspunde. Întreabă-mă din nou, te rog.",
    "no-llm": "Te aud, dar nu am un model de limbaj ca să răspund.",
    "not-understood": "Scuze, nu am înțeles. Poți repeta?",
  },
  frequentWords: wordSet("ești este și cu care pentru o un nu de din sunt mai într dar sau fi această lui"),
  textSearch: "romanian",
};
