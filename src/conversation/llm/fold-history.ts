// A conversation in the one form that every model's chat template takes: a system message first, then the user and the
// assistant in turn, the user first and last. Templates of Gemma and Mistral refuse any other.
import { EngineError } from "../../../shared/engine-error.ts";
import type { LlmTurn } from "./llm-turn.ts";

export interface SpokenMessage {
  role: "user" | "assistant";
  content: string;
}

export interface FoldedHistory {
  /** Instructions, contexts, and what the assistant said before the user's first words. Empty if there is nothing. */
  system: string;
  /** At least one; roles alternate, the first and the last are the user's. */
  messages: SpokenMessage[];
}

/** Folds contexts into the system message and joins neighbours of one role. Throws EngineError invalid-input if the
 *  user has not spoken last: there is nothing to answer. */
export function foldHistory({ instructions, history }: Pick<LlmTurn, "instructions" | "history">): FoldedHistory {
  const system = [instructions.trim()];
  const opening: string[] = [];
  const messages: SpokenMessage[] = [];
  for (const { role, text } of history) {
    const content = text.trim();
    if (content === "") continue;
    const last = messages.at(-1);
    if (role === "context") system.push(content);
    else if (!last && role === "assistant") opening.push(content);
    else if (last?.role === role) last.content += `\n${content}`;
    else messages.push({ role, content });
  }
  if (messages.at(-1)?.role !== "user") {
    throw new EngineError("invalid-input", "The conversation does not end with a message of the user.");
  }
  if (opening.length > 0) system.push(`You opened this conversation by saying:\n${opening.join("\n")}`);
  return { system: system.filter(Boolean).join("\n\n"), messages };
}
