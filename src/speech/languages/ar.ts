// Arabic.
import type { Language } from "./language.ts";

export const AR: Language = {
  englishNames: ["arabic"],
  greeting: (name) => (name ? `مرحبًا، أنا ${name}. كيف يمكنني مساعدتك؟` : "مرحبًا. كيف يمكنني مساعدتك؟"),
  fixedSentences: {
    failed: "عذرًا، لا أستطيع الإجابة الآن. اسألني مرة أخرى من فضلك.",
    "no-llm": "أنا أسمعك، لكن ليس لدي نموذج لغوي للإجابة.",
    "not-understood": "عذرًا، لم أفهم ذلك. هل يمكنك الإعادة؟",
  },
  script: /\p{Script=Arabic}/gu,
};
