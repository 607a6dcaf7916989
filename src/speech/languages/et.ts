// Estonian.
import type { Language } from "./language.ts";

export const ET: Language = {
  englishNames: ["estonian"],
  greeting: (name) => (name ? `Tere, mina olen ${name}. Kuidas saan aidata?` : "Tere. Kuidas saan aidata?"),
  fixedSentences: {
    failed: "Vabandust, ma ei saa praegu vastata. Palun küsige uuesti.",
    "no-llm": "Ma kuulen teid, aga mul pole keelemudelit vastamiseks.",
    "not-understood": "Vabandust, ma ei saanud aru. Kas saate korrata?",
  },
};
