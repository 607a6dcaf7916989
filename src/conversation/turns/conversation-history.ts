// What was said in a conversation, as the language model is given it: bounded, oldest first.
import type { LlmMessage } from "../llm/llm-turn.ts";

/** Contexts are kept up to this many characters in all; the oldest are dropped, and the newest is cut. */
const MAX_CONTEXT_CHARACTERS = 20_000;
/** What is told to the language model of what was said: about an hour of conversation. As above. */
const MAX_SAID_CHARACTERS = 40_000;
/** What is left of the newest message of a role, at least. */
const LEAST_CHARACTERS = 4_000;

export class ConversationHistory {
  #messages: LlmMessage[];
  /** Counts the messages that were added. */
  #version = 0;

  constructor(messages: readonly LlmMessage[] = []) {
    this.#messages = [...messages];
    this.#trim();
  }

  /** Oldest first. */
  get messages(): readonly LlmMessage[] {
    return this.#messages;
  }

  /** Changes with every message. */
  get version(): number {
    return this.#version;
  }

  /** Whether anything was said. */
  get hasTurns(): boolean {
    return this.#messages.some(({ role }) => role !== "context");
  }

  /** What the user said last, if no one has answered. */
  get unanswered(): string | undefined {
    const last = this.#messages.findLast(({ role }) => role !== "context");
    return last?.role === "user" ? last.text : undefined;
  }

  add(message: LlmMessage): void {
    if (message.text.trim() === "") return;
    this.#messages.push(message);
    this.#version += 1;
    this.#trim();
  }

  #trim(): void {
    const left = { context: MAX_CONTEXT_CHARACTERS, said: MAX_SAID_CHARACTERS };
    const kept: LlmMessage[] = [];
    for (const message of this.#messages.toReversed()) {
      const kind = message.role === "context" ? "context" : "said";
      const room = left[kind];
      left[kind] -= message.text.length;
      if (left[kind] >= 0) kept.push(message);
      // The newest one of a role always stays: its end, which is what the answer is to.
      else if (!kept.some(({ role }) => role === message.role)) {
        kept.push({ ...message, text: message.text.slice(-Math.max(room, LEAST_CHARACTERS)) });
      }
    }
    this.#messages = kept.reverse();
  }
}
