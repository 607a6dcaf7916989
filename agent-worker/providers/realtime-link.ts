// A connection to a realtime server, and what of its events a conversation reads.
import { z } from "zod";

export interface RealtimeLink {
  /** Dropped unless the connection is open. */
  send(event: object): void;
  /** Idempotent. */
  close(): void;
}

/** Connects. May throw. */
export type ConnectRealtime = (handlers: {
  /** `event`: JSON of the server, unchecked. Must not throw. */
  onEvent(event: unknown): void;
  /** Once, also after `close()`. */
  onClosed(error: unknown): void;
}) => RealtimeLink;

/** A realtime server of the account's own. */
export interface RealtimeProvider {
  connect: ConnectRealtime;
  /** The server's name of its voice; undefined: its default. */
  voice: string | undefined;
}

/** Servers leave out what they do not know, or send null. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
  .optional();
const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

/** Ids and names are kept. An event with a longer one is ignored. */
const name = maybe(z.string().max(500));

/** Functions that a server may have by itself. */
const MOST_TOOLS = 128;

/** Fields of the events that are read; servers send more. */
const schema = z.object({
  type: z.string(),
  item_id: name,
  response_id: name,
  delta: text,
  transcript: text,
  item: maybe(z.object({ id: name, type: text, role: text, name, call_id: name, arguments: text })),
  response: maybe(z.object({ id: name, status: text })),
  session: maybe(
    z.object({
      type: text,
      audio: z.unknown().optional(),
      modalities: z.unknown().optional(),
      // Functions that the server has by itself.
      tools: z.array(z.looseObject({ name })).max(MOST_TOOLS).optional().catch(undefined),
    }),
  ),
  error: maybe(z.object({ code: text, message: text, event_id: name })),
});
export type ServerEvent = z.output<typeof schema>;

/** The beta's names, as those of today. */
const NAMES: Readonly<Record<string, string>> = {
  "response.audio.delta": "response.output_audio.delta",
  "response.audio_transcript.delta": "response.output_audio_transcript.delta",
  "response.text.delta": "response.output_text.delta",
};

/** An event under its name of today. Returns undefined for an unknown event. */
export function parseServerEvent(value: unknown): ServerEvent | undefined {
  const parsed = schema.safeParse(value);
  if (!parsed.success) return undefined;
  const { type } = parsed.data;
  return { ...parsed.data, type: NAMES[type] ?? type };
}
