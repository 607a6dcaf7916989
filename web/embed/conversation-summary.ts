// What is left of a conversation once it has ended: its length, and its words as text.
import type { EmbedTexts } from "./texts/load-embed-texts.ts";
import type { TranscriptLine } from "./transcript.ts";

/** How long a conversation took, in words. */
export function lengthInWords(texts: EmbedTexts, ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [minutes > 0 && texts.minutes(minutes), rest > 0 && texts.seconds(rest)];
  return parts.filter((part) => part !== false).join(" ");
}

/** The words of both sides, one line each, with a heading. */
export function conversationText(
  { language, transcript }: EmbedTexts,
  lines: readonly TranscriptLine[],
  avatarName: string,
  at: Date,
): string {
  const said = lines.map(({ speaker, text }) => `${speaker === "visitor" ? transcript.you : avatarName}: ${text}`);
  const when = at.toLocaleString(language, { dateStyle: "long", timeStyle: "short" });
  return [transcript.heading(avatarName, when), "", ...said, ""].join("\n");
}
