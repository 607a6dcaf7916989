// Japanese.
import type { Language } from "./language.ts";

export const JA: Language = {
  englishNames: ["japanese"],
  greeting: (name) =>
    name ? `こんにちは、${name}です。何かお手伝いできますか？` : "こんにちは。何かお手伝いできますか？",
  fixedSentences: {
    failed: "すみません、今はお答えできません。もう一度聞いてください。",
    "no-llm": "聞こえていますが、お答えするための言語モデルがありません。",
    "not-understood": "すみません、聞き取れませんでした。もう一度お願いします。",
  },
  backchannels: "はい|うん|ええ|そう|なるほど|そうですか|そうですね",
  script: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ownLetters: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
};
