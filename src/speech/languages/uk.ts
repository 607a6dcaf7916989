// Ukrainian.
import type { Language } from "./language.ts";

export const UK: Language = {
  englishNames: ["ukrainian"],
  greeting: (name) => (name ? `Вітаю, я ${name}. Чим можу допомогти?` : "Вітаю. Чим можу допомогти?"),
  fixedSentences: {
    failed: "Вибачте, зараз я не можу відповісти. Запитайте ще раз, будь ласка.",
    "no-llm": "Я вас чую, але не маю мовної моделі, щоб відповісти.",
    "not-understood": "Вибачте, я не зрозумів. Можете повторити?",
  },
  backchannels: "так|ага|угу|ок|окей|добре|ясно|зрозуміло",
  script: /\p{Script=Cyrillic}/gu,
  ownLetters: /[іїєґ]/giu,
};
