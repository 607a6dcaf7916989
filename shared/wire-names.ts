// Every name that travels between participants, processes and clients, in one place.

/** Agent name under which avatar workers register with LiveKit, and the neutral default identity of the avatar. */
export const AGENT_NAME = "service-avatar-agent";
/** Added to the agent name under which workers with a GPU register once more, for sessions that need one. */
export const GPU_NAME_SUFFIX = "-gpu";
/** The realtime model of a call that names none. Source: the contract. */
export const DEFAULT_REALTIME_MODEL = "gpt-realtime-mini";
/** Our own speech recognition, language model and voice among the realtime models. */
export const SERVICE_REALTIME_MODEL = "service-realtime";
/** Prefix of the control room of an avatar session, on our own LiveKit server. */
export const CONTROL_ROOM_PREFIX = "ctl-";

/** Attribute of the avatar's join token: identity of the participant that sends its audio. */
export const ATTRIBUTE_PUBLISH_ON_BEHALF = "lk.publish_on_behalf";
/** Attribute set by the avatar before it leaves because it cannot be shown: `model_not_generated` or `model_failed`. */
export const ATTRIBUTE_AVATAR_ERROR = "avatar_error";
/** Attribute of agents (LiveKit's own name): initializing, listening, thinking or speaking. */
export const ATTRIBUTE_AGENT_STATE = "lk.agent.state";
/** Its value while an agent has joined and takes nothing that is said or typed: its token may have set it. */
export const AGENT_INITIALIZING = "initializing";
/** Attribute of an avatar that holds a conversation: what answers, an `AnswerSource`. */
export const ATTRIBUTE_MIND = "avatar_mind";
/** Attribute of an avatar that holds a conversation: name of the language model that was found on the machine of the
 *  service since it began; empty if none was. */
export const ATTRIBUTE_FOUND_MODEL = "avatar_found_model";
/** Attribute of an avatar that holds a conversation: what the model sees of the person's camera, a `CameraView`. */
export const ATTRIBUTE_CAMERA = "avatar_camera";
/** Attributes of a transcription text stream (LiveKit's own names). */
export const ATTRIBUTE_TRANSCRIPTION_FINAL = "lk.transcription_final";
export const ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID = "lk.segment_id";
/** What is expressed with it: JSON with `expression` and `mood`, or a name. */
export const ATTRIBUTE_TRANSCRIPTION_EXPRESSION = "lk.expression";
export const ATTRIBUTE_TRANSCRIPTION_TRACK_ID = "lk.transcribed_track_id";

/** Byte streams of speech for the avatar, and text streams of what it says. */
export const TOPIC_AUDIO_STREAM = "lk.audio_stream";
export const TOPIC_TRANSCRIPTION = "lk.transcription";
/** Text streams that participants type. */
export const TOPIC_CHAT = "lk.chat";
/** Ours: data messages with the face's motion, for tabs that render it (`motion-packet.ts`). */
export const TOPIC_MOTION = "service.motion";

export const RPC_PLAYBACK_STARTED = "lk.playback_started";
export const RPC_PLAYBACK_FINISHED = "lk.playback_finished";
export const RPC_CLEAR_BUFFER = "lk.clear_buffer";
export const RPC_TRIGGER_DYNAMICS = "trigger_dynamics";
/** Any participant sets what the face shows. */
export const RPC_SET_EMOTION = "set_emotion";
/** Ours, in the media room: a participant tells what it needs of the face (`watch.ts`). */
export const RPC_WATCH = "service.watch";
/** Ours, in the control room, called by the api. */
export const RPC_SPEAK = "service.speak";
/** Refused by sessions without a conversation. */
export const RPC_ADD_CONTEXT = "service.add_context";
/** The person has typed something. */
export const RPC_TYPE_TEXT = "service.type_text";
/** Renders one frame, without starting the video. */
export const RPC_STILL = "service.still";
/** The turns of the conversation, with what the language model was told. */
export const RPC_TURNS = "service.turns";
export const RPC_END = "service.end";

/** Names of the two published tracks. */
export const TRACK_VIDEO = "avatar_video";
export const TRACK_AUDIO = "avatar_audio";

export const HEADER_API_SECRET = "api-secret";
/** On requests of the console: the organization of the account for which it acts, by id. */
export const HEADER_ORGANIZATION = "x-service-organization";
/** On requests of the console that its page sends by itself, long after the person has last done something: they do not
 *  prolong the session. Any value. */
export const HEADER_UNATTENDED = "x-service-unattended";
/** Between the api and a relay behind the same front alone: the client's address. */
export const HEADER_CLIENT_ADDRESS = "x-service-client-address";
/** Names a relayed WebRTC call. */
export const HEADER_CALL = "X-Service-Call";
/** What only the api knows about a call, for our own realtime server: JSON in base64url. */
export const HEADER_REALTIME_SESSION = "X-Service-Session";
export const HEADER_PLAN_NOTICE = "X-Service-Plan-Notice";

/** Headers of webhook deliveries. */
export const HEADER_WEBHOOK_EVENT = "X-Service-Event";
export const HEADER_WEBHOOK_DELIVERY = "X-Service-Delivery";
export const HEADER_WEBHOOK_TIMESTAMP = "X-Service-Timestamp";
export const HEADER_WEBHOOK_SIGNATURE = "X-Service-Signature";
/** Of session webhooks: as the signature of registered ones, over timestamp, dot and body. */
export const HEADER_WEBHOOK_TIMED_SIGNATURE = "X-Service-Signature-V2";
/** Standard Webhooks' own names. */
export const HEADER_STANDARD_WEBHOOK_ID = "webhook-id";
export const HEADER_STANDARD_WEBHOOK_TIMESTAMP = "webhook-timestamp";
export const HEADER_STANDARD_WEBHOOK_SIGNATURE = "webhook-signature";
export const HEADER_TEST_WEBHOOK = "X-Test-Webhook";

/** JWT audiences: one per kind of token, so that none passes for another. */
export const AUDIENCE_RUNTIME = "service-runtime";
export const AUDIENCE_RUNTIME_SESSION = "service-runtime-session";
/** Reports of avatar workers; signed with the LiveKit API secret. */
export const AUDIENCE_WORKER = "service-worker";
/** Calls of relays to a worker's realtime server; signed alike by the api. */
export const AUDIENCE_REALTIME = "service-realtime";
/** Requests of realtime relays to the api; signed alike. */
export const AUDIENCE_RELAY = "service-relay";
export const AUDIENCE_LAUNCH = "service-launch";
export const AUDIENCE_MODEL_DOWNLOAD = "service-model-download";
export const AUDIENCE_EMBED = "service-embed";
/** The start page, opened on the machine of the service. */
export const AUDIENCE_PAGE = "service-page";
