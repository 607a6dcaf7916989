// What is left of a conversation once it has ended: its length, and its words as text.
import type { TranscriptLine } from "./transcript.ts";

/** How long a conversation took, in words. */
export function lengthInWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [minutes > 0 && count(minutes, "minute"), rest > 0 && count(rest, "second")];
  return parts.filter((part) => part !== false).join(" ");
}

/** The words of both sides, one line each, with a heading. */
export function conversationText(lines: readonly TranscriptLine[], avatarName: string, at: Date): string {
  const said = lines.map(({ speaker, text }) => `${speaker === "visitor" ? "You" : avatarName}: ${text}`);
  return [`Conversation with ${avatarName}, ${at.toLocaleString()}`, "", ...said, ""].join("\n");
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
