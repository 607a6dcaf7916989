// How a tool fails: one object, of which an assistant makes its next step.
import { ApiError, AvatarError, ConfigurationError, ConnectionError, TimeoutError } from "../sdk/client/index.ts";

/** The contract's error object. */
export interface ToolErrorObject {
  code: string;
  message: string;
  http_status?: number;
  hint?: string;
}

/** A refusal of a tool's own. */
export class ToolError extends Error {
  override name = "ToolError";
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const HINTS: Readonly<Record<string, string>> = {
  MISSING_AUTH: "Run avatar login, or set AVATAR_API_SECRET where the assistant starts this server.",
  UNAUTHORIZED: "The secret is wrong or was revoked. Run avatar login, or set another AVATAR_API_SECRET.",
  NOT_FOUND: "The list tools show what exists.",
  AGENT_NOT_READY: "Ask get_agent_status until the status is ready.",
  MODEL_NOT_GENERATED: "add_model makes the model; list_models_and_prices shows what it costs.",
  MODEL_ARTIFACT_NOT_READY: "Ask again in a few seconds.",
  IMAGE_FACE_UNSUITABLE: "Use a picture of one face that looks at the camera.",
  KB_EMPTY: "Add a file with add_knowledge_file first.",
};

/** The contract's message for an agent that is in no room. */
const NO_ROOM = "No active rooms found for agent";
const NO_ROOM_HINT = "The person opens the address of create_embed_link first; create_video needs no room.";

/** The object for whatever was thrown. Nothing of an unexpected error is shown. */
export function toErrorObject(error: unknown): ToolErrorObject {
  if (error instanceof ToolError) return withHint({ code: error.code, message: error.message }, error.hint);
  if (error instanceof ApiError) return ofApiError(error);
  if (error instanceof ConfigurationError) return withHint({ code: "MISSING_AUTH", message: error.message });
  if (error instanceof TimeoutError) return timedOut();
  if (error instanceof ConnectionError) {
    const hint = "Check AVATAR_API_URL and whether the service runs.";
    return withHint({ code: "CONNECTION_FAILED", message: error.message }, hint);
  }
  if (error instanceof AvatarError) return { code: "FAILED", message: error.message };
  if (error instanceof Error && error.name === "TimeoutError") return timedOut();
  if (error instanceof Error && error.name === "AbortError") return { code: "CANCELLED", message: "Cancelled." };
  return { code: "INTERNAL_ERROR", message: "The tool failed unexpectedly." };
}

function ofApiError(error: ApiError): ToolErrorObject {
  const { code, message, httpStatus, topupUrl, upgradeUrl, retryAfterMs } = error;
  const known = { code, message, http_status: httpStatus };
  if (topupUrl) return withHint(known, `Credits can be added at ${topupUrl}.`);
  if (upgradeUrl) return withHint(known, `The plan can be changed at ${upgradeUrl}.`);
  if (code === "NOT_FOUND" && message.startsWith(NO_ROOM)) return withHint(known, NO_ROOM_HINT);
  if (code === "RATE_LIMITED" && retryAfterMs)
    return withHint(known, `Ask again in ${Math.ceil(retryAfterMs / 1000)} s.`);
  return withHint(known);
}

function timedOut(): ToolErrorObject {
  return withHint(
    { code: "TIMEOUT", message: "The call took too long." },
    "What was begun may go on: ask for its state.",
  );
}

function withHint(object: ToolErrorObject, hint = HINTS[object.code]): ToolErrorObject {
  return hint ? { ...object, hint } : object;
}
