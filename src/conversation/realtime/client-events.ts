// The events that a client may send, in OpenAI's two spellings: the present one, and the beta's.
import { z } from "zod";
import { RealtimeError } from "./realtime-error.ts";

const MAX_TEXT_CHARACTERS = 100_000;
const MAX_ID_CHARACTERS = 200;
const MAX_TOOLS = 128;
const MAX_PARTS = 64;
const MAX_INPUT_ITEMS = 200;
const MAX_METADATA = 16;
/** Base64 of a minute of PCM: more at once would keep the process from its other sessions. */
const MAX_AUDIO_CHARACTERS = 4 * 1024 * 1024;
/** What of a foreign value is quoted. */
const QUOTED_CHARACTERS = 60;

const text = z.string().max(MAX_TEXT_CHARACTERS);
const id = z.string().min(1).max(MAX_ID_CHARACTERS);
const audio = z.string().max(MAX_AUDIO_CHARACTERS);

/** The beta's names of formats, and the present ones. */
const format = z.union([
  z.enum(["pcm16", "g711_ulaw", "g711_alaw"]),
  z.object({ type: z.enum(["audio/pcm", "audio/pcmu", "audio/pcma"]), rate: z.number().optional() }),
]);
const turnDetection = z
  .object({
    type: z.enum(["server_vad", "semantic_vad"]),
    threshold: z.number().min(0).max(1).nullish(),
    silence_duration_ms: z.number().min(0).max(60_000).nullish(),
    eagerness: z.enum(["low", "medium", "high", "auto"]).nullish(),
    create_response: z.boolean().nullish(),
    interrupt_response: z.boolean().nullish(),
  })
  .nullable();
const transcription = z
  .object({
    model: z.string().max(100).nullish(),
    language: z.string().max(35).nullish(),
    /** Of newer models; one language counts. */
    languages: z.array(z.string().max(35)).max(100).nullish(),
  })
  .nullable();
const voice = z.union([z.string().max(500), z.object({ id: z.string().max(500) }).transform(({ id: named }) => named)]);
const modalities = z.array(z.enum(["text", "audio"])).min(1);
const tools = z
  .array(
    z.object({
      type: z.literal("function"),
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      description: z.string().max(10_000).nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
    }),
  )
  .max(MAX_TOOLS);
const toolChoice = z.union([
  z.string().max(64),
  z.object({ type: z.literal("function"), name: z.string().max(64) }).transform(({ name }) => name),
]);
const maxTokens = z.union([z.literal("inf"), z.int().min(1).max(1_000_000)]);
const speed = z.number().min(0.25).max(2);
/** Clients leave out what they do not set, or send null. */
const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

const session = z.object({
  type: z.enum(["realtime", "transcription"]).optional(),
  /** Cannot be changed. */
  model: z.string().nullish(),
  instructions: maybe(text),
  tools: maybe(tools),
  tool_choice: maybe(toolChoice),
  // The present spelling.
  output_modalities: maybe(modalities),
  max_output_tokens: maybe(maxTokens),
  audio: maybe(
    z.object({
      input: maybe(
        z.object({
          format: maybe(format),
          transcription: transcription.optional(),
          turn_detection: turnDetection.optional(),
        }),
      ),
      output: maybe(z.object({ format: maybe(format), voice: maybe(voice), speed: maybe(speed) })),
    }),
  ),
  // The beta's.
  modalities: maybe(modalities),
  max_response_output_tokens: maybe(maxTokens),
  voice: maybe(voice),
  speed: maybe(speed),
  input_audio_format: maybe(format),
  output_audio_format: maybe(format),
  input_audio_transcription: transcription.optional(),
  turn_detection: turnDetection.optional(),
});
export type SessionUpdate = z.output<typeof session>;

const part = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["input_text", "text", "output_text"]), text }),
  z.object({ type: z.literal("input_audio"), audio: maybe(audio), transcript: maybe(text) }),
  z.object({ type: z.enum(["audio", "output_audio"]), transcript: maybe(text) }),
  z.object({ type: z.literal("input_image"), image_url: maybe(audio) }),
]);
const itemId = { id: maybe(id) };
const item = z.discriminatedUnion("type", [
  z.object({
    ...itemId,
    type: z.literal("message"),
    role: z.enum(["user", "assistant", "system"]),
    content: z.array(part).max(MAX_PARTS),
  }),
  z.object({ ...itemId, type: z.literal("function_call"), call_id: maybe(id), name: id, arguments: text }),
  z.object({ ...itemId, type: z.literal("function_call_output"), call_id: id, output: text }),
]);
export type ItemInput = z.output<typeof item>;
const reference = z.object({ type: z.literal("item_reference"), id });

const response = z.object({
  conversation: z.enum(["auto", "none"]).nullish(),
  input: maybe(z.array(z.union([reference, item])).max(MAX_INPUT_ITEMS)),
  instructions: maybe(text),
  tools: maybe(tools),
  tool_choice: maybe(toolChoice),
  output_modalities: maybe(modalities),
  modalities: maybe(modalities),
  max_output_tokens: maybe(maxTokens),
  max_response_output_tokens: maybe(maxTokens),
  audio: maybe(z.object({ output: maybe(z.object({ format: maybe(format), voice: maybe(voice) })) })),
  voice: maybe(voice),
  output_audio_format: maybe(format),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA, `At most ${MAX_METADATA} pairs.`)
    .nullish(),
});
export type ResponseOverrides = z.output<typeof response>;

const EVENTS = {
  "session.update": z.object({ session }),
  /** The beta's, of a transcription session. */
  "transcription_session.update": z.object({ session }),
  "input_audio_buffer.append": z.object({ audio }),
  "input_audio_buffer.commit": z.object({}),
  "input_audio_buffer.clear": z.object({}),
  "output_audio_buffer.clear": z.object({}),
  "conversation.item.create": z.object({ previous_item_id: maybe(id), item }),
  "conversation.item.retrieve": z.object({ item_id: id }),
  "conversation.item.delete": z.object({ item_id: id }),
  "conversation.item.truncate": z.object({
    item_id: id,
    content_index: z.int().min(0).nullish(),
    audio_end_ms: z.number().min(0),
  }),
  "response.create": z.object({ response: maybe(response) }),
  "response.cancel": z.object({ response_id: maybe(id) }),
} as const;

type EventType = keyof typeof EVENTS;
export type ClientEvent = { [Type in EventType]: { type: Type } & z.output<(typeof EVENTS)[Type]> }[EventType];

/** The client's own id of an event, by which its errors name it; null without one. */
export function eventIdOf(value: unknown): string | null {
  const found = typeof value === "object" && value !== null && "event_id" in value ? value.event_id : undefined;
  return typeof found === "string" ? found.slice(0, MAX_ID_CHARACTERS) : null;
}

/** Reads a client's event. Throws RealtimeError. */
export function parseClientEvent(value: unknown): ClientEvent {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (typeof type !== "string") {
    throw new RealtimeError("An event is an object with a type.", {
      code: "missing_required_parameter",
      param: "type",
    });
  }
  if (!isEventType(type)) {
    const supported = Object.keys(EVENTS).join(", ");
    const message = `Invalid value: '${type.slice(0, QUOTED_CHARACTERS)}'. Supported values are: ${supported}.`;
    throw new RealtimeError(message, { code: "invalid_value", param: "type" });
  }
  const parsed = EVENTS[type].safeParse(value);
  if (parsed.success) return { type, ...parsed.data } as ClientEvent;
  const [issue] = parsed.error.issues;
  const param = issue.path.join(".");
  throw new RealtimeError(`${param || "The event"}: ${issue.message}`, { code: "invalid_value", param });
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENTS, type);
}
