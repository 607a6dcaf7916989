// Bulgarian.
import type { Language } from "./language.ts";

export const BG: Language = {
  englishNames: ["bulgarian"],
  greeting: (name) =>
    name ? `Здравейте, аз съм ${name}. С какво мога да помогна?` : "Здравейте. С какво мога да помогна?",
  fixedSentences: {
    failed: "Съжалявам, сега не мога да отговоря. Попитайте ме отново.",
    "no-llm": "Чувам ви, но нямам езиков модел, за да отговоря.",
    "not-understood": "Извинете, не разбрах. Бихте ли повторили?",
  },
};
