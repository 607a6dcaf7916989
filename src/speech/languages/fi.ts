// Finnish.
import { type Language, wordSet } from "./language.ts";

export const FI: Language = {
  englishNames: ["finnish"],
  greeting: (name) => (name ? `Hei, olen ${name}. Miten voin auttaa?` : "Hei. Miten voin auttaa?"),
  fixedSentences: {
    failed: "Anteeksi, en voi vastata juuri nyt. Kysy uudelleen.",
    "no-llm": "Kuulen sinut, mutta minulla ei ole kielimallia vastaamiseen.",
    "not-understood": "Anteeksi, en saanut selvää. Voitko toistaa?",
  },
  frequentWords: wordSet("olet on ja joka kanssa ei se että sinä oli hän mutta myös kun ovat voi tai sen"),
  textSearch: "finnish",
};
