// What an agent says first in a conversation.
import {
  isLanguageCode,
  languageOf,
  languageOrEnglish,
  primaryLanguage,
} from "../../src/speech/languages/languages.ts";
import type { AgentContent } from "./record/agent.ts";

/** Of a greeting of its own: some ten seconds of speech, since the person wants to talk. */
export const MAX_GREETING_CHARACTERS = 240;

/** The agent's `own`, `none`, or the tag of a language that our voices speak. */
export type GreetingChoice = string;

/** The choice that a page makes; `own` for anything else. Never throws. */
export function readGreetingChoice(value: string | null | undefined): GreetingChoice {
  if (!value || value === "none") return value || "own";
  return /^[\w-]+$/.test(value) && isLanguageCode(primaryLanguage(value)) ? value : "own";
}

/** The greeting that was written for an agent; without one, that of its language with its name. */
export function greetingOf({ name, language, greeting }: Pick<AgentContent, "name" | "language" | "greeting">): string {
  return greeting || languageOrEnglish(language).greeting(name.trim());
}

/** What the avatar says first, and in which language if that is not the agent's. Null: nothing. */
export function chosenGreeting(
  agent: Pick<AgentContent, "name" | "language" | "greeting">,
  choice: GreetingChoice,
): { text: string; language?: string } | null {
  if (choice === "none") return null;
  const other = languageOf(choice);
  if (!other || primaryLanguage(choice) === primaryLanguage(agent.language)) return { text: greetingOf(agent) };
  return { text: other.greeting(agent.name.trim()), language: choice };
}
