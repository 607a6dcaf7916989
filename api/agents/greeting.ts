// What an agent says first in a conversation.
import { languageOrEnglish } from "../../src/speech/languages/languages.ts";
import type { AgentContent } from "./record/agent.ts";

/** The greeting that was written for an agent; without one, that of its language with its name. */
export function greetingOf({ name, language, greeting }: Pick<AgentContent, "name" | "language" | "greeting">): string {
  return greeting || languageOrEnglish(language).greeting(name.trim());
}
