// Chinese.
import type { Language } from "./language.ts";

export const ZH: Language = {
  englishNames: ["chinese", "mandarin"],
  greeting: (name) => (name ? `你好，我是${name}。有什么可以帮你的吗？` : "你好。有什么可以帮你的吗？"),
  fixedSentences: {
    failed: "抱歉，我现在无法回答。请再问一次。",
    "no-llm": "我能听到您说话，但我没有可以用来回答的语言模型。",
    "not-understood": "抱歉，我没听清楚。请再说一遍。",
  },
  backchannels: "嗯|对|是|好|好的|哦|啊|明白|对对",
  script: /\p{Script=Han}/gu,
  synthesizerName: "cmn",
};
