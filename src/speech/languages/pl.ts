// Polish.
import { type Language, wordSet } from "./language.ts";

export const PL: Language = {
  englishNames: ["polish"],
  greeting: (name) => (name ? `Cześć, jestem ${name}. W czym mogę pomóc?` : "Cześć. W czym mogę pomóc?"),
  fixedSentences: {
    failed: "Przepraszam, teraz nie mogę odpowiedzieć. Proszę zapytać jeszcze raz.",
    "no-llm": "Słyszę cię, ale nie mam modelu językowego, żeby odpowiedzieć.",
    "not-understood": "Przepraszam, nie zrozumiałem tego. Proszę powtórzyć.",
  },
  backchannels: "tak|no|ok|okay|jasne|dobrze|rozumiem|aha|dobra",
  frequentWords: wordSet("jesteś jest i w z na się do nie że który jako"),
};
