// What was said in a call, from its events: each item of the conversation is a line.
import type { RealtimeEvent } from "./realtime-call.ts";

export interface SaidLine {
  itemId: string;
  speaker: "you" | "model";
  text: string;
}

const ADDED = ["conversation.item.added", "conversation.item.created"];
const ANSWER_DELTAS = [
  "response.output_audio_transcript.delta",
  "response.audio_transcript.delta",
  "response.output_text.delta",
  "response.text.delta",
];

/** The lines after an event; the same array if nothing changed. */
export function withEvent(lines: readonly SaidLine[], event: RealtimeEvent): readonly SaidLine[] {
  const { type, item_id: itemId, delta, transcript } = event;
  if (ADDED.includes(type)) return withItem(lines, event.item);
  if (typeof itemId !== "string") return lines;
  if (ANSWER_DELTAS.includes(type) && typeof delta === "string") return append(lines, itemId, "model", delta);
  if (type === "conversation.item.input_audio_transcription.delta" && typeof delta === "string") {
    return append(lines, itemId, "you", delta);
  }
  if (type === "conversation.item.input_audio_transcription.completed" && typeof transcript === "string") {
    return replace(lines, itemId, "you", transcript.trim());
  }
  return lines;
}

/** Items appear in the order of the conversation, before their words are known. */
function withItem(lines: readonly SaidLine[], item: unknown): readonly SaidLine[] {
  const { id, type, role, content } = (item ?? {}) as { id?: string; type?: string; role?: string; content?: unknown };
  if (id === undefined || type !== "message" || role === "system" || lines.some(({ itemId }) => itemId === id))
    return lines;
  const parts = Array.isArray(content) ? (content as { text?: string; transcript?: string }[]) : [];
  const text = parts.map((part) => part.text ?? part.transcript ?? "").join("");
  return [...lines, { itemId: id, speaker: role === "user" ? "you" : "model", text }];
}

function append(lines: readonly SaidLine[], itemId: string, speaker: SaidLine["speaker"], delta: string) {
  const before = lines.find((line) => line.itemId === itemId)?.text ?? "";
  return replace(lines, itemId, speaker, before + delta);
}

function replace(lines: readonly SaidLine[], itemId: string, speaker: SaidLine["speaker"], text: string) {
  const index = lines.findIndex((line) => line.itemId === itemId);
  const line = { itemId, speaker, text };
  return index < 0 ? [...lines, line] : lines.with(index, line);
}
