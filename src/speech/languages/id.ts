// Indonesian.
import { type Language, wordSet } from "./language.ts";

export const ID: Language = {
  englishNames: ["indonesian"],
  greeting: (name) => (name ? `Halo, saya ${name}. Apa yang bisa saya bantu?` : "Halo. Apa yang bisa saya bantu?"),
  fixedSentences: {
    failed: "Maaf, saya tidak bisa menjawab sekarang. Silakan tanya lagi.",
    "no-llm": "Saya mendengar Anda, tetapi saya tidak punya model bahasa untuk menjawab.",
    "not-understood": "Maaf, saya tidak menangkapnya. Bisa diulangi?",
  },
  frequentWords: wordSet("kamu adalah dan yang untuk dengan seorang anda"),
};
