// Korean.
import type { Language } from "./language.ts";

export const KO: Language = {
  englishNames: ["korean"],
  greeting: (name) =>
    name ? `안녕하세요, 저는 ${name}입니다. 무엇을 도와드릴까요?` : "안녕하세요. 무엇을 도와드릴까요?",
  fixedSentences: {
    failed: "죄송합니다. 지금은 대답할 수 없습니다. 다시 물어봐 주세요.",
    "no-llm": "들리지만 대답할 언어 모델이 없습니다.",
    "not-understood": "죄송합니다. 알아듣지 못했습니다. 다시 말씀해 주세요.",
  },
  backchannels: "네|예|응|그래|그렇군요|아",
  script: /\p{Script=Hangul}/gu,
};
