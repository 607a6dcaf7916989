// Swedish.
import { type Language, wordSet } from "./language.ts";

export const SV: Language = {
  englishNames: ["swedish"],
  greeting: (name) =>
    name ? `Hej, jag heter ${name}. Vad kan jag hjälpa till med?` : "Hej. Vad kan jag hjälpa till med?",
  fixedSentences: {
    failed: "Förlåt, jag kan inte svara just nu. Fråga mig igen.",
    "no-llm": "Jag hör dig, men jag har ingen språkmodell att svara med.",
    "not-understood": "Förlåt, det hörde jag inte. Kan du säga det igen?",
  },
  backchannels: "ja|ok|okej|precis|just det|visst|bra",
  frequentWords: wordSet("du är och en ett med som för på inte att det den till har från eller kan ska ditt"),
  textSearch: "swedish",
};
