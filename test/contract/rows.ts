// The contract's tables, row by row, in our own words. Every row needs a proof: a test that produces it through HTTP.
import type { ErrorCode } from "../../shared/errors.ts";

export interface ContractRow {
  /** `section/…`. An error's row ends with its code, and with the cause if a code has several. */
  id: string;
  says: string;
  /** The route (as in the OpenAPI document) that the row needs. Until the route exists the row is listed as waiting;
   *  then it needs a proof. */
  awaits?: string;
}

const row = (id: string, says: string, awaits?: string): ContractRow => ({ id, says, ...(awaits && { awaits }) });
const error = (code: ErrorCode | `${ErrorCode}:${string}`, says: string, awaits?: string) =>
  row(`errors/${code}`, says, awaits);

export const KB_REBUILD = "post /v1/knowledge/kbs/{kb_id}/rebuild";

/** The error table: credentials, permissions and credits. */
export const ACCOUNT_ERROR_ROWS: readonly ContractRow[] = [
  error("MISSING_AUTH", "401 without the api-secret header; Bearer stands in for it only on the self-hosted download"),
  error("UNAUTHORIZED:invalid", "401 for a secret that does not exist"),
  error("UNAUTHORIZED:revoked", "401 for a revoked secret on a REST endpoint"),
  error("INSUFFICIENT_BALANCE", "402 without enough credits, with topup_url"),
  error("PAYWALL", "402 for a person who has signed in and has no minutes left to talk, with topup_url"),
  error("PLAN_REQUIRED:feature", "403 when the plan lacks the feature, with upgrade_url"),
  error("PLAN_REQUIRED:free", "403 for every secret of a Free account from 2026-10-19 on, with upgrade_url"),
  error("AGENT_LIMIT_REACHED:plans", "403 for an agent beyond Creator 7, Pro 40, Business 200, with upgrade_url"),
  error("AGENT_LIMIT_REACHED:top", "403 beyond Enterprise 1,000, without upgrade_url"),
  error("CONCURRENCY_LIMIT_REACHED", "403 for a session beyond the plan's, with upgrade_url twice; running ones go on"),
  error("ACCOUNT_SUSPENDED", "403 when the balance is too far below zero, without a link"),
  error("RUNTIME_SUSPENDED:revoked", "403 for a revoked secret on each token endpoint, without a link"),
  error("RUNTIME_SUSPENDED:account", "403 while runtime access is suspended; a plan change does not clear it"),
  error("SECRET_REVEAL_CONSOLE_ONLY", "403 for reading the value of a stored secret"),
  error("FORBIDDEN", "403 for a path that names another account"),
  error("RATE_LIMITED", "429 over the tier's limit, with Retry-After"),
];

/** The error table: agents, their images and models. */
export const AGENT_ERROR_ROWS: readonly ContractRow[] = [
  error(
    "VALIDATION_ERROR:model",
    "400 for an invalid or retired model, with the names that are accepted; nothing charged",
  ),
  error("VALIDATION_ERROR:image", "400 for an image that is no URL and no image, also in a launch; nothing charged"),
  error("VALIDATION_ERROR:gestures", "400 for gestures of another image than the agent's; nothing charged"),
  error("VIDEO_INPUT_NOT_SUPPORTED", "400 for a creation with a video; nothing charged"),
  error("MODEL_NOT_DOWNLOADABLE", "400 for the download of a model without a file"),
  error("NOT_FOUND:agent", "404 for an unknown or foreign agent, beginning with Agent not found for code"),
  error("MODEL_ARTIFACT_NOT_READY", "404 for a download before the file is there"),
  error("AGENT_NOT_READY", "409 for a model added to an agent that is still being made or has failed"),
  error("AGENT_DELETED", "410 for a download from a deleted agent"),
  error("AGENT_PURGED", "410 once a deleted agent's record has been erased"),
  error("FILE_TOO_LARGE", "413 over the size limit of a kind of file"),
  error("UNSUPPORTED_TYPE", "415 for an upload of a kind that is not taken, and for what a browser would execute"),
  error(
    "MODEL_SUBJECT_MISMATCH",
    "422 for an image without a human face, for any model but expression-2; no agent, no charge",
  ),
  error("MODEL_PREREQUISITE_MISSING", "422 for a model that needs what the agent lacks and what cannot be made for it"),
  error("IMAGE_FACE_UNSUITABLE", "422 for a face too small, or several alike; nothing charged"),
  row("errors/200:MODEL_DEFAULT_DEPRECATED", "200 with a warning when a creation names no model"),
];

/** The error table: avatar sessions and their models. */
export const SESSION_ERROR_ROWS: readonly ContractRow[] = [
  error("MODEL_NOT_OFFERED", "400 for a model that is not offered; nothing launched, nothing charged, no substitute"),
  error("DOWNLOAD_FAILED", "400 for a URL that cannot be fetched or holds no valid file"),
  error("SESSION_DURATION_LIMIT:cloud", "a cloud session ends after 24 hours"),
  error("SESSION_DURATION_LIMIT:self-hosted", "403 for a self-hosted session after 7 days"),
  error(
    "NOT_FOUND:room",
    "404 for speak and add-context without a live room, beginning with No active rooms found for agent",
  ),
  error("MODEL_NOT_GENERATED", "409 when the agent lacks the model; the message gives the fix; nothing charged"),
  error("SERVICE_UNAVAILABLE:livekit", "503 with Retry-After while the real-time server is away"),
  error("SERVICE_UNAVAILABLE:capacity", "503 with Retry-After when no worker has a free slot"),
  error(
    "SERVICE_UNAVAILABLE:tier",
    "503 with Retry-After for a model that pins a tier which no worker reports; no other tier takes it",
  ),
  error("MODEL_NOT_YET_AVAILABLE", "503 for a model that is paused; nothing billed"),
];

/** The error table: requests in general, and dependencies of the service. */
export const SERVICE_ERROR_ROWS: readonly ContractRow[] = [
  error("MISSING_PARAM:required", "400 when a required parameter is missing"),
  error("MISSING_PARAM:update", "400 when an agent update has nothing to change"),
  error("VALIDATION_ERROR:body", "400 when a body fails its checks, malformed JSON included"),
  error("NOT_FOUND:path", "404 for a path that does not exist"),
  error("VOICE_NOT_FOUND", "404 for an unknown or revoked designed voice", "post /v1/tts"),
  error(
    "BUILD_IN_PROGRESS",
    "409 when a knowledge base is being built; the request is queued as a rebuild",
    KB_REBUILD,
  ),
  error("BUILD_CONCURRENCY", "409 when another knowledge base of the account is being built", KB_REBUILD),
  error("BUILD_DAILY_CAP", "409 for the 21st build of a day", KB_REBUILD),
  error("ENDPOINT_RETIRED", "410 for a removed endpoint; the message names what replaces it"),
  error("KB_EMPTY", "422 for the build of a knowledge base without files", KB_REBUILD),
  error("INTERNAL_ERROR", "500 in the envelope when something breaks, without a word of what"),
  error("UPSTREAM_ERROR", "500 when a query behind the request failed; nothing changed"),
  error("UPSTREAM_UNAVAILABLE", "502 when a server that a request depends on cannot be reached", "post /v1/tts"),
  error("UPSTREAM_TIMEOUT", "504 when it does not answer in time", "post /v1/tts"),
  error("SERVICE_UNAVAILABLE:database", "503 with Retry-After while the database is away"),
];

export const MOVE_ROWS: readonly ContractRow[] = [
  row("moves/none-processing", "an accepted creation is processing, its charge taken, its row there"),
  row("moves/processing-generating", "a worker claims the job: generating, 0.02, payment"),
  row("moves/persona", "the persona is done: 0.15, persona"),
  row("moves/voice-image", "voice and portrait are done: 0.20, voice_image"),
  row("moves/lip-sync", "the model is being made: 0.70 to 0.99, lip_sync"),
  row("moves/completed-ready", "the file is stored: ready, together with 1.0 and done; agent.ready fires"),
  row(
    "moves/any-failed",
    "an error fails the agent, with its reason; refunded once; agent.failed fires with the reason",
  ),
  row(
    "moves/regeneration-failed",
    "an error makes an agent with a working model ready again, with the reason at the model; refunded once",
  ),
  row(
    "moves/awaiting-face-marking",
    "a face that the finder is unsure of waits for marks: 0.35, awaiting_face_marking",
  ),
  row("moves/regenerated", "an agent made anew under its code is processing again; its charge is taken again"),
  row(
    "moves/model-added",
    "while a model is added the agent stays ready; the model is pending, then ready or failed and refunded",
  ),
  row("moves/polling-ends", "polling ends at ready with 1.0 or at failed, and at nothing before"),
  row("moves/session-starting-live", "a launched session is starting, then live when its avatar is seen"),
  row("moves/session-live-ended", "it is ended by the end call, with seconds and credits, and its slot is free"),
  row("moves/webhook-active", "a registered webhook is active"),
  row("moves/dynamics-generating", "dynamics are generating once ordered", "post /v1/dynamics/generate"),
  row(
    "moves/dynamics-ready",
    "dynamics are ready when done, and when none were ever made",
    "get /v1/dynamics/{agent_id}",
  ),
  row("moves/dynamics-regenerate", "a change of dynamics starts the movements anew", "put /v1/dynamics/{agent_id}"),
  row("moves/video-processing", "a video is processing once submitted", "post /v1/video/generate"),
  row("moves/video-completed", "then completed with its URL, length and charge", "get /v1/video/{job_id}"),
  row("moves/video-failed", "or failed, refunded in full", "get /v1/video/{job_id}"),
];
