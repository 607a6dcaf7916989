// Vietnamese.
import { type Language, wordSet } from "./language.ts";

export const VI: Language = {
  englishNames: ["vietnamese"],
  greeting: (name) =>
    name ? `Xin chào, tôi là ${name}. Tôi có thể giúp gì cho bạn?` : "Xin chào. Tôi có thể giúp gì cho bạn?",
  fixedSentences: {
    failed: "Xin lỗi, bây giờ tôi không thể trả lời. Vui lòng hỏi lại.",
    "no-llm": "Tôi nghe thấy bạn, nhưng tôi không có mô hình ngôn ngữ để trả lời.",
    "not-understood": "Xin lỗi, tôi chưa nghe rõ. Bạn nói lại được không?",
  },
  frequentWords: wordSet("bạn là và một với cho của không"),
};
