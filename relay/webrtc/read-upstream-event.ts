// What a WebRTC call reads of the upstream's events: those with audio, and those that change what is played.
import { z } from "zod";
import type { AudioFormat } from "../../src/conversation/realtime/audio-formats.ts";
import type { AnswerPart } from "./loudspeaker.ts";

/** A format as the general version of the protocol names it, or as its beta did. */
const formatSchema = z.union([z.string(), z.object({ type: z.string() })]);
const turnsSchema = z.object({ interrupt_response: z.boolean().nullish() }).nullish();
const sessionSchema = z.object({
  input_audio_format: formatSchema.nullish(),
  output_audio_format: formatSchema.nullish(),
  turn_detection: turnsSchema,
  audio: z
    .object({
      input: z.object({ format: formatSchema.nullish(), turn_detection: turnsSchema }).nullish(),
      output: z.object({ format: formatSchema.nullish() }).nullish(),
    })
    .nullish(),
});
/** Waits with each piece of audio. */
const id = z.string().max(200);
const eventSchema = z.object({
  type: z.string(),
  session: sessionSchema.nullish().catch(undefined),
  response_id: id.nullish(),
  item_id: id.nullish(),
  content_index: z.number().nullish(),
  delta: z.string().nullish().catch(undefined),
  response: z.object({ id }).nullish().catch(undefined),
});

const FORMATS: Readonly<Record<string, AudioFormat>> = {
  pcm16: "pcm16",
  "audio/pcm": "pcm16",
  g711_ulaw: "g711_ulaw",
  "audio/pcmu": "g711_ulaw",
  g711_alaw: "g711_alaw",
  "audio/pcma": "g711_alaw",
};

export type UpstreamEvent =
  /** Audio, base64; it is played and not passed on. */
  | { kind: "audio"; part: AnswerPart; audio: string }
  /** No more audio of a response comes. */
  | { kind: "complete"; responseId: string }
  | { kind: "session"; input: AudioFormat; output: AudioFormat; mayInterrupt: boolean }
  /** The upstream detects speech of the person. */
  | { kind: "speech" }
  | { kind: "other" };

const OTHER: UpstreamEvent = { kind: "other" };

/** Never throws: what is no event of the protocol is passed on as it is. */
export function readUpstreamEvent(text: string): UpstreamEvent {
  const event = parse(text);
  switch (event?.type) {
    case "response.output_audio.delta":
    case "response.audio.delta": {
      const { response_id: responseId, item_id: itemId, content_index: contentIndex, delta } = event;
      if (typeof delta !== "string") return OTHER;
      const part = { responseId: responseId ?? "", itemId: itemId ?? "", contentIndex: contentIndex ?? 0 };
      return { kind: "audio", part, audio: delta };
    }
    case "response.done":
      return event.response ? { kind: "complete", responseId: event.response.id } : OTHER;
    case "session.created":
    case "session.updated":
    case "transcription_session.created":
    case "transcription_session.updated": {
      const { session } = event;
      if (!session) return OTHER;
      const turns = session.audio?.input?.turn_detection ?? session.turn_detection;
      return {
        kind: "session",
        input: formatOf(session.audio?.input?.format ?? session.input_audio_format),
        output: formatOf(session.audio?.output?.format ?? session.output_audio_format),
        mayInterrupt: turns?.interrupt_response !== false,
      };
    }
    case "input_audio_buffer.speech_started":
      return { kind: "speech" };
    default:
      return OTHER;
  }
}

function parse(text: string): z.infer<typeof eventSchema> | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function formatOf(format: z.infer<typeof formatSchema> | null | undefined): AudioFormat {
  const name = typeof format === "string" ? format : format?.type;
  return FORMATS[name ?? "pcm16"] ?? "pcm16";
}
