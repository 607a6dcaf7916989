import t from "tap";
import { promptLanguage } from "../../../../api/agents/creation/prompt-language.ts";

t.test("the language of a prompt is detected, and a language that it requests takes precedence", async (t) => {
  const cases: [string, string][] = [
    ["You are Nova, a warm host who explains museums to children.", "en"],
    ["Du bist Nova, eine freundliche Gastgeberin, die Museen erklärt.", "de"],
    ["Tu es Nova, une hôtesse chaleureuse qui explique les musées.", "fr"],
    ["Eres Nova, una anfitriona amable que explica los museos.", "es"],
    ["Sei Nova, una guida gentile che spiega i musei per tutti.", "it"],
    ["Você é Nova, uma guia simpática que explica museus para todos.", "pt"],
    ["Je bent Nova, een vriendelijke gids die het museum uitlegt.", "nl"],
    ["Jesteś Nova i opowiadasz o muzeum.", "pl"],
    ["Ты — Нова, приветливый гид по музею.", "ru"],
    ["Ти — Нова, привітна екскурсоводка, яка розповідає про музеї.", "uk"],
    ["あなたは美術館の案内役、ノヴァです。", "ja"],
    ["你是博物馆的向导诺瓦。", "zh"],
    ["당신은 박물관 안내원 노바입니다.", "ko"],
    ["Είσαι η Νόβα, μια φιλική ξεναγός.", "el"],
    ["أنت نوفا، مرشدة المتحف الودودة.", "ar"],
    ["A patient teacher who always speaks German.", "de"],
    ["Answers only in Japanese.", "ja"],
    ["A tutor. He is Spanish.", "en"],
    ["", "en"],
    ["1234 !?", "en"],
  ];
  for (const [prompt, language] of cases) {
    t.equal(promptLanguage(prompt), language, prompt);
  }
});
