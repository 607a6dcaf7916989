// Turkish.
import { type Language, wordSet } from "./language.ts";

export const TR: Language = {
  englishNames: ["turkish"],
  greeting: (name) =>
    name ? `Merhaba, ben ${name}. Size nasıl yardımcı olabilirim?` : "Merhaba. Size nasıl yardımcı olabilirim?",
  fixedSentences: {
    failed: "Üzgünüm, şu anda cevap veremiyorum. Lütfen tekrar sorun.",
    "no-llm": "Sizi duyuyorum ama cevap verecek bir dil modelim yok.",
    "not-understood": "Üzgünüm, anlayamadım. Tekrar eder misiniz?",
  },
  backchannels: "evet|tamam|peki|anladim|hi hi",
  frequentWords: wordSet("sen bir ve için olan ile bu değil da de çok olarak daha gibi kadar ancak veya her"),
  textSearch: "turkish",
};
