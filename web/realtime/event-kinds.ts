// What an event of a call is about, for the filter.

export const EVENT_KINDS = {
  speech: "Heard",
  answer: "Answers",
  error: "Errors",
  piece: "Pieces",
  bookkeeping: "Bookkeeping",
} as const;
export type EventKind = keyof typeof EVENT_KINDS;

/** What a person wants to see; programs need the rest. */
export const SHOWN_FIRST: readonly EventKind[] = ["speech", "answer", "error"];

const SPEECH = /^input_audio_buffer\.speech_|^conversation\.item\.input_audio_transcription\.completed$/;
const ANSWER =
  /^response\.(create|cancel|created|done)$|^output_audio_buffer\.|^response\.(output_audio_transcript|output_text|audio_transcript|text)\.done$/;

export function eventKind(type: string): EventKind {
  if (type === "error" || type.endsWith(".failed")) return "error";
  if (type.endsWith(".delta")) return "piece";
  if (SPEECH.test(type)) return "speech";
  return ANSWER.test(type) ? "answer" : "bookkeeping";
}
