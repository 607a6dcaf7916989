// Latvian.
import type { Language } from "./language.ts";

export const LV: Language = {
  englishNames: ["latvian"],
  greeting: (name) => (name ? `Sveiki, es esmu ${name}. Kā varu palīdzēt?` : "Sveiki. Kā varu palīdzēt?"),
  fixedSentences: {
    failed: "Atvainojiet, šobrīd nevaru atbildēt. Lūdzu, jautājiet vēlreiz.",
    "no-llm": "Es jūs dzirdu, bet man nav valodas modeļa, ar ko atbildēt.",
    "not-understood": "Atvainojiet, es nesapratu. Vai varat atkārtot?",
  },
};
