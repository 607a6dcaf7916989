// How soon the answers of a conversation were heard.
import type { ConversationMessage } from "../../../../sdk/client/index.ts";

export interface SoundDelay {
  /** From the end of speech to the first sound; null if no answer tells. */
  medianMs: number | null;
  /** Answers that tell. */
  count: number;
}

export function medianSound(messages: readonly Pick<ConversationMessage, "latency">[]): SoundDelay {
  const delays = messages
    .flatMap(({ latency }) => (typeof latency?.sound_ms === "number" ? [latency.sound_ms] : []))
    .sort((left, right) => left - right);
  const { length: count } = delays;
  if (count === 0) return { medianMs: null, count };
  return { medianMs: (delays[(count - 1) >> 1] + delays[count >> 1]) / 2, count };
}
