// Messages between the api and avatar workers: the dispatch metadata and the runtime API, each with its parser.
import { z } from "zod";
import { EXPRESSION_PATTERN } from "./expressions.ts";
import { MANNERS } from "./manners.ts";
import { byProviderKind } from "./provider-kinds.ts";

/** Longest session on a machine of the caller, s. Source: the contract. */
export const MAX_SELF_HOSTED_SECONDS = 7 * 24 * 3600;

/** Execution providers that a worker may render with; `ane`, the Apple Neural Engine, only in workers of others. */
const workerProviderSchema = z.enum(["cpu", "cuda", "ane"]);
export type WorkerProvider = z.infer<typeof workerProviderSchema>;

/** Most sessions of a worker, as AVATAR_MAX_SESSIONS allows. A report of more is wrong, and must not make launches wait
 *  for slots that do not exist. */
export const MAX_WORKER_SESSIONS = 1000;
/** Light sessions take less. */
const MAX_LIGHT_SESSIONS = 10 * MAX_WORKER_SESSIONS;
const workerSessionsSchema = z.int32().min(0).max(MAX_WORKER_SESSIONS);

/** POST /v1/runtime/workers, every three seconds: a worker is there. Its credential is in `worker-token.ts`. */
export const workerReportSchema = z
  .object({
    /** Chosen by the worker at its start. */
    worker_id: z.uuid(),
    /** Counts the reports of this process from 1. One that is not above the last one comes from another process with
     *  the same id, such as the copy of a machine, and is refused with CONFLICT. Absent in earlier versions. */
    report_seq: z.int32().min(1).optional(),
    providers: z.array(workerProviderSchema).max(8),
    active_sessions: workerSessionsSchema,
    /** Most sessions that it can run now, the active ones included. Sessions that began with viewers that render count
     *  for neither number, if `max_light_sessions` is there. */
    max_sessions: workerSessionsSchema,
    /** Most sessions that began with viewers that render that it can run now, the running ones included. Absent in
     *  earlier versions. */
    max_light_sessions: z.int32().min(0).max(MAX_LIGHT_SESSIONS).optional(),
    /** Most sessions that it can render on its GPU now, the active ones included; absent without one. */
    max_gpu_sessions: workerSessionsSchema.optional(),
    /** WebSocket URL of its realtime server, as relays reach it; absent if it takes no calls now. The token of the
     *  report says the same. */
    realtime_url: z
      .url({ protocol: /^wss?$/ })
      .max(500)
      .optional(),
    /** Most realtime sessions that it can run now, the running ones included. Absent in earlier versions. */
    realtime_slots: workerSessionsSchema.optional(),
    /** Name of its machine. These and the following fields are for the operator, and absent in earlier versions. */
    host: z.string().max(255).optional(),
    version: z.string().max(50).optional(),
    /** Sessions that began with viewers that render. */
    light_sessions: z.int32().min(0).max(MAX_LIGHT_SESSIONS).optional(),
    /** Cores that its machine has for it, and how many of them were free in the last seconds. */
    cores: z.number().min(0).max(100_000).optional(),
    free_cores: z.number().min(0).max(100_000).optional(),
    /** CPU time that a further session takes there, in cores: streamed, and rendered by viewers. */
    session_cores: z.number().min(0).max(1_000).optional(),
    light_session_cores: z.number().min(0).max(1_000).optional(),
    /** Whether it takes no more sessions and reports until those that run have ended. */
    is_draining: z.boolean().optional(),
    /** True in the last report: the worker takes no more sessions. */
    is_stopping: z.boolean().optional(),
  })
  .refine(({ active_sessions, max_sessions }) => max_sessions >= active_sessions, {
    path: ["max_sessions"],
    error: "must not be less than active_sessions, which it includes",
  });
export type WorkerReport = z.infer<typeof workerReportSchema>;

/** Answer to a report. */
export const workerReportAnswerSchema = z.object({
  ok: z.literal(true),
  /** Whether relays are sent to the reported `realtime_url`; absent without one, and in earlier versions. */
  is_realtime_accepted: z.boolean().optional(),
});

/** Metadata of the LiveKit dispatch into the control room. */
export const dispatchMetadataSchema = z.object({
  avatar_session_id: z.string(),
  /** Bearer token (audience `service-runtime-session`) bound to this avatar session alone. */
  runtime_token: z.string(),
  /** Base URL of the runtime API as the worker reaches it. */
  api_url: z.url(),
  /** Execution provider that the session's model pins; a worker without it rejects the job. Absent if any will do. */
  provider: workerProviderSchema.optional(),
  /** True if the session ran before: a worker takes it even if it measures no free slot. */
  is_running: z.boolean().optional(),
  /** True if the session begins without a stream, because its visitors render: it takes little of a worker. Absent:
   *  false. */
  viewers_render: z.boolean().optional(),
  /** W3C Trace Context of the dispatch, for the worker's spans; absent if it is not traced. */
  traceparent: z.string().max(200).optional(),
});
export type DispatchMetadata = z.infer<typeof dispatchMetadataSchema>;

/** A segment with a sender who waits for its end. If the process that plays it dies, the next one reports
 *  it under the same identity. */
const openSegmentSchema = z.object({
  /** Identity of the participant that sent it. */
  sender_identity: z.string().max(1_000),
  /** How much of it was heard, ms; 0 if it had not begun. */
  position_ms: z.number().min(0),
  /** False only if it was played to its end, and the report of that is in flight. */
  interrupted: z.boolean(),
});
export type OpenSegment = z.infer<typeof openSegmentSchema>;
/** In the order in which the segments arrived. The engine's queue is far shorter than this. */
const openSegmentsSchema = z.array(openSegmentSchema).max(1_000);

/** An entry of a conversation's history. `context`: given to the avatar silently by `add-context`. */
const conversationEntrySchema = z.object({ role: z.enum(["user", "assistant", "context"]), text: z.string() });
export type ConversationEntry = z.infer<typeof conversationEntrySchema>;

/** What answers in a conversation: a language model of this service, a model of the account's own (`provider`), the
 *  agent's documents, or only what the service knows of itself (`none`). */
const mindKindSchema = z.enum(["model", "provider", "knowledge", "none"]);
export type MindKind = z.infer<typeof mindKindSchema>;

/** A server of the account's own, which this session uses. The worker keeps `api_key` in memory alone. */
const jobProviderSchema = z.object({
  /** Its id in the account's list, for logs. */
  provider_id: z.string(),
  /** Base URL including the version. Its address is checked at every connection. */
  base_url: z.url(),
  /** Sent as Bearer; absent for servers without keys. */
  api_key: z.string().optional(),
  /** The server's name of its model. */
  model: z.string(),
  /** The server's name of a voice, for the kinds that speak. */
  voice: z.string().optional(),
});
export type JobProvider = z.infer<typeof jobProviderSchema>;

/** What the agent's owner chose instead of the service's own parts. */
const jobProvidersSchema = z.object(byProviderKind(() => jobProviderSchema.optional()));
export type JobProviders = z.infer<typeof jobProvidersSchema>;

/** The SHA-256 of a file, hex. Workers name files by it, so nothing else may pass for one. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** GET /v1/runtime/sessions/{id}/job: everything a worker needs to run an avatar session. */
export const jobDescriptionSchema = z.object({
  avatar_session_id: z.string(),
  agent_code: z.string().nullable(),
  agent_name: z.string(),
  system_prompt: z.string(),
  voice_id: z.string(),
  language: z.string(),
  model: z.string(),
  /** Absolute URL of the `.imx` (needs the runtime token), or null when the avatar is baked from `portrait_url`. */
  imx_url: z.string().nullable(),
  /** SHA-256 of that file, hex, by which a worker knows a file that it has already; null without a file. */
  imx_sha256: sha256Schema.nullish(),
  /** Absolute URL of a portrait to bake at session start (needs the runtime token); null otherwise. */
  portrait_url: z.string().nullable(),
  livekit_url: z.string(),
  livekit_token: z.string(),
  room_name: z.string(),
  beat_interval_s: z.number(),
  /** Longest duration of the session, s. Absent: 24 hours. */
  duration_limit_s: z.number().min(1).max(MAX_SELF_HOSTED_SECONDS).optional(),
  /** How long the avatar stays in a room that no user has entered, and in which nothing is spoken, s. Absent: ten
   *  minutes, whatever is spoken. */
  idle_timeout_s: z.number().min(1).max(MAX_SELF_HOSTED_SECONDS).optional(),
  /** Whether the avatar holds a conversation of its own; otherwise a voice agent drives it. */
  conversation: z.boolean(),
  /** What the avatar says first in a conversation; null if it says nothing, or has said it. */
  greeting: z.string().nullish(),
  /** Tag of the greeting's language, if that is not the agent's. */
  greeting_language: z.string().max(35).nullish(),
  /** Id of the person in front of the avatar, for the language model's server. */
  end_user_id: z.string().nullish(),
  /** Whether the agent has knowledge bases that can be searched. */
  has_knowledge: z.boolean().nullish(),
  /** What was said in this conversation before, and contexts that were added, oldest first. */
  history: z.array(conversationEntrySchema).max(1_000).nullish(),
  /** What was said in the person's last conversation with the agent, oldest first, if visitors are remembered. */
  earlier: z.array(conversationEntrySchema).max(1_000).nullish(),
  /** Number of the last message that was reported; 0 before the first one. */
  last_message_seq: z.int32().min(0).nullish(),
  /** The account's own servers, with their keys; null if the agent has chosen none. */
  providers: jobProvidersSchema.nullish(),
  /** How long a camera was watched in this session so far, s. */
  watched_seconds: z.number().min(0).nullish(),
  /** Whether the room is one of ours, made for a visitor, who may type what the avatar says. Absent: false. */
  is_hosted: z.boolean().optional(),
  /** Whether visitors may render the avatar in their browsers: then the worker sends motion to those who ask for it.
   *  Absent: false. */
  viewers_may_render: z.boolean().optional(),
  /** Whether they render from the start, so that the session begins without a stream. Absent: false. */
  viewers_render: z.boolean().optional(),
  /** Whether the agent's own gestures play, and with what it says; false: the gestures of every avatar instead. Null if
   *  neither gestures were made for the agent nor the owner set it. */
  dynamics_enabled: z.boolean().nullish(),
  /** What the face shows while nothing else sets its expression, as `parseExpression` reads it. Absent: neutral. */
  emotion: z.string().regex(EXPRESSION_PATTERN).optional().catch(undefined),
  /** How lively it is by itself. Absent: natural. */
  manner: z.enum(MANNERS).optional().catch(undefined),
  /** Whether the face may react to what users say, in a room where a voice agent speaks: their microphones are read for
   *  that. Absent: true. */
  listen: z.boolean().optional(),
  /** Segments that the previous worker left open; this worker reports them first. */
  open_segments: openSegmentsSchema,
});
export type JobDescription = z.infer<typeof jobDescriptionSchema>;

/** The media room as the avatar sees it: the api cannot list participants on a caller's own LiveKit server. */
const roomReportSchema = z.object({
  /** Everyone in the room, the avatar included. */
  participants: z.int32().min(0),
  /** Unix seconds; absent while the avatar does not know. */
  created_at: z.int32().min(1).optional(),
});
export type RoomReport = z.infer<typeof roomReportSchema>;

/** POST /v1/runtime/sessions/{id}/events. `accepted` when a worker takes the dispatch, again while it waits for a
 *  process, and when it has one; `live` once, after both tracks are published; `ended` at most once, last. */
export const sessionEventSchema = z.object({
  event: z.enum(["accepted", "live", "ended"]),
  /** Why it ended; one of END_REASONS. */
  reason: z.string().max(200).optional(),
  /** Seconds served since live, cumulative. */
  served_seconds: z.number().min(0).optional(),
  /** How long the language model was shown a camera, cumulative over all workers of the session. Absent: unchanged. */
  watched_seconds: z.number().min(0).optional(),
  /** Of `served_seconds`, those in which no video was streamed, cumulative; only of sessions that visitors may render.
   *  Absent: unchanged. */
  viewer_rendered_seconds: z.number().min(0).optional(),
  room: roomReportSchema.optional(),
  /** With `ended`, if the session moves to another worker: segments for that one to report. */
  open_segments: openSegmentsSchema.optional(),
  /** With `live`, in a conversation. */
  mind: mindKindSchema.optional(),
});
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** POST /v1/runtime/sessions/{id}/beat. `seq` starts at 1 and makes a repeated heartbeat harmless. The database keeps
 *  it in 32 bits: at one heartbeat a second that is enough for 68 years. */
export const heartbeatSchema = z.object({
  seq: z.int32().min(1),
  served_seconds: z.number().min(0),
  /** As in `SessionEvent`. */
  watched_seconds: z.number().min(0).optional(),
  /** As in `SessionEvent`. */
  viewer_rendered_seconds: z.number().min(0).optional(),
  room: roomReportSchema.optional(),
  /** What answers in the conversation now. Absent: unchanged, as in earlier versions. */
  mind: mindKindSchema.optional(),
  /** True while the avatar stays for the return of its last user: then another launch may take the session's slot.
   *  Absent: false. */
  is_vacant: z.boolean().optional(),
  /** Absent: unchanged since the last heartbeat. */
  open_segments: openSegmentsSchema.optional(),
});
export type HeartbeatReport = z.infer<typeof heartbeatSchema>;

/** Answer to a heartbeat. With `stop` the worker ends the avatar session at once for that reason. */
export const heartbeatAnswerSchema = z.object({
  ok: z.boolean(),
  token: z.string().optional(),
  balance: z.number(),
  plan_notice: z.string().optional(),
  stop: z.object({ reason: z.string() }).optional(),
});
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswerSchema>;

/** How long an answer took, ms from the end of speech, or from the typed text: until the words were known, until the
 *  turn was over, until the answer's first words, and until its first sound left the avatar. */
export const answerLatencySchema = z.object({
  is_typed: z.boolean(),
  text_ms: z.int32().min(0),
  decided_ms: z.int32().min(0),
  /** Null without words. */
  words_ms: z.int32().min(0).nullable(),
  sound_ms: z.int32().min(0).nullable(),
});
export type AnswerLatency = z.infer<typeof answerLatencySchema>;

/** A complete message of a conversation. */
const sessionMessageSchema = z.object({
  /** Counts the messages of the session from 1, over all its workers. */
  seq: z.int32().min(1),
  /** `user`: the person; `assistant`: the avatar, only what was heard of it. */
  role: z.enum(["user", "assistant"]),
  message: z.string().min(1).max(20_000),
  /** When it was said. */
  timestamp: z.iso.datetime(),
  /** Of an answer; absent for other messages, and if the worker does not know. */
  latency: answerLatencySchema.optional(),
});
export type SessionMessage = z.infer<typeof sessionMessageSchema>;

/** POST /v1/runtime/sessions/{id}/messages. `seq` makes a repeated report harmless. */
export const messageReportSchema = z.object({ messages: z.array(sessionMessageSchema).min(1).max(100) });
export type MessageReport = z.infer<typeof messageReportSchema>;

/** POST /v1/runtime/sessions/{id}/knowledge: passages of the agent's knowledge bases that answer a question. */
export const knowledgeQuestionSchema = z.object({
  query: z.string().min(1).max(2_000),
  /** Most passages to return. Default: the api's. */
  limit: z.int().min(1).max(10).nullish(),
});

/** A piece of a document that answers a question. */
const knowledgePassageSchema = z
  .object({
    kb_id: z.string(),
    file_id: z.string(),
    file_name: z.string(),
    /** Headings above the passage, outermost first, joined with `>`; empty without headings. */
    heading: z.string(),
    text: z.string(),
    /** Only the order matters: higher is better. */
    score: z.number(),
  })
  .meta({ id: "KnowledgeSearchResult" });
export type KnowledgePassage = z.infer<typeof knowledgePassageSchema>;
/** Best first; empty if nothing matches or the agent has no knowledge base. */
export const knowledgeAnswerSchema = z.object({ results: z.array(knowledgePassageSchema) });

/** Why an avatar session ended. */
export const END_REASONS = [
  "last_user_left",
  "avatar_removed",
  "room_closed",
  "ended_by_api",
  "terminated",
  "balance_exhausted",
  "secret_revoked",
  "duration_limit",
  "join_failed",
  "no_capacity",
  "worker_lost",
  "worker_draining",
  "model_failed",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The reason of that name, or undefined if no such reason exists. */
export function parseEndReason(name: string | undefined): EndReason | undefined {
  return END_REASONS.find((known) => known === name);
}

/** What becomes of a text that the person types: an answer to it, or the avatar says it. */
export const typingModeSchema = z.enum(["ask", "say"]);
export type TypingMode = z.infer<typeof typingModeSchema>;

/** RPC `service.speak`, `service.add_context` and `service.type_text` in the control room. Sessions without a
 *  conversation refuse `add_context`, and speak what was typed. */
export const speakPayloadSchema = z.object({
  message: z.string().min(1).max(5000),
  /** What the face shows meanwhile, as `parseExpression` reads it. Absent: nothing. */
  emotion: z.string().regex(EXPRESSION_PATTERN).optional(),
  request_id: z.string(),
});
export const addContextPayloadSchema = z.object({ context: z.string().min(1).max(20_000), request_id: z.string() });
export const typeTextPayloadSchema = z.object({
  text: z.string().min(1).max(5000),
  /** Absent in earlier versions. */
  mode: typingModeSchema.default("ask"),
  request_id: z.string(),
});
/** A turn of a conversation, as its worker remembers it: what was understood, how long the answer took, and what the
 *  language model was told. For the session's owner alone. */
export const turnRecordSchema = z.object({
  /** Counts the turns of the session's process from 1. */
  number: z.int(),
  answered_at: z.iso.datetime(),
  /** What the person said, as it was understood. */
  text: z.string(),
  is_typed: z.boolean(),
  /** Of the recognised words, 0 to 1; null for a typed turn, and if the recogniser does not tell. */
  confidence: z.number().nullable(),
  /** From the end of speech, or from the typed text, ms: until the words were known, until the turn was over, until the
   *  answer's first words, and until its first sound left the avatar. The last two are null without words and sound. */
  text_ms: z.int(),
  decided_ms: z.int(),
  words_ms: z.int().nullable(),
  sound_ms: z.int().nullable(),
  /** Null if it is not known: a server of the account's own leads the conversation. */
  told: z
    .object({
      /** The system message; null if no language model answers. */
      instructions: z.string().nullable(),
      /** What came before, oldest first, the last entries of it. `context`: added without anyone saying it. */
      history: z.array(z.object({ role: z.enum(["user", "assistant", "context"]), text: z.string() })),
      passages: z.array(z.object({ file_name: z.string(), heading: z.string(), text: z.string() })),
      has_image: z.boolean(),
      /** Whether some of it is left out here: replies are short. The model had all of it. */
      is_cut: z.boolean(),
    })
    .nullable(),
});
export type TurnRecord = z.infer<typeof turnRecordSchema>;
/** Longest JSON of the turns in one reply, bytes in UTF-8. */
export const TURNS_MAX_BYTES = 14_000;
/** RPC `service.turns` in the control room: the turns after that number. */
export const turnsPayloadSchema = z.object({ after: z.int().min(0) });

export const rpcReplySchema = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  /** Of `service.still`: a JPEG in base64. A reply has at most 15 KiB. */
  jpeg: z.string().max(15_000).optional(),
  /** Of `service.turns`: oldest first, as many as fit. */
  turns: z.array(turnRecordSchema).optional(),
});
/** Longest JPEG of `service.still`. */
export const STILL_MAX_BYTES = 11_000;
