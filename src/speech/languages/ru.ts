// Russian.
import type { Language } from "./language.ts";

export const RU: Language = {
  englishNames: ["russian"],
  greeting: (name) => (name ? `Здравствуйте, я ${name}. Чем могу помочь?` : "Здравствуйте. Чем могу помочь?"),
  fixedSentences: {
    failed: "Извините, сейчас я не могу ответить. Спросите, пожалуйста, ещё раз.",
    "no-llm": "Я вас слышу, но у меня нет языковой модели, чтобы ответить.",
    "not-understood": "Извините, я не понял. Повторите, пожалуйста.",
  },
  backchannels: "да|ага|угу|ок|окей|хорошо|ясно|понятно|верно",
  script: /\p{Script=Cyrillic}/gu,
  textSearch: "russian",
};
