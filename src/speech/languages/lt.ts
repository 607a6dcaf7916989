// Lithuanian.
import type { Language } from "./language.ts";

export const LT: Language = {
  englishNames: ["lithuanian"],
  greeting: (name) => (name ? `Sveiki, aš esu ${name}. Kuo galiu padėti?` : "Sveiki. Kuo galiu padėti?"),
  fixedSentences: {
    failed: "Atsiprašau, dabar negaliu atsakyti. Paklauskite dar kartą.",
    "no-llm": "Girdžiu jus, bet neturiu kalbos modelio atsakyti.",
    "not-understood": "Atsiprašau, nesupratau. Ar galite pakartoti?",
  },
};
