// What a participant tells the avatar that it needs of the face, by RPC `service.watch`: the video, the motion from
// which it renders the face itself, or neither. Parsers without dependencies, for pages too.

/** What a participant needs, and what it gets. */
const WATCH_NEEDS = ["video", "motion", "nothing"] as const;
export type WatchNeeds = (typeof WATCH_NEEDS)[number];

/** Payload of the call. It holds for its caller until the next call, or until the caller has left the room. */
export interface WatchRequest {
  needs: WatchNeeds;
}

/** Why a call is refused: `SERVICE_UNAVAILABLE`: the worker cannot stream video now; `FORBIDDEN`: this session's face
 *  is not rendered by viewers; `VALIDATION_ERROR`: the payload is malformed. */
const WATCH_ERROR_CODES = ["SERVICE_UNAVAILABLE", "FORBIDDEN", "VALIDATION_ERROR"] as const;
export type WatchErrorCode = (typeof WATCH_ERROR_CODES)[number];

/** What the caller needed before holds if the call is refused. */
export type WatchReply = { ok: true; renders: WatchNeeds } | { ok: false; code: WatchErrorCode; message: string };

/** Longest payload that is read, characters. */
const LONGEST_PAYLOAD = 1_000;

/** Returns undefined for anything but a request. */
export function parseWatchRequest(payload: string): WatchRequest | undefined {
  const needs = parseFields(payload)?.needs;
  return isOneOf(WATCH_NEEDS, needs) ? { needs } : undefined;
}

/** Returns undefined for anything but a reply. */
export function parseWatchReply(payload: string): WatchReply | undefined {
  const { ok, renders, code, message } = parseFields(payload) ?? {};
  if (ok === true) return isOneOf(WATCH_NEEDS, renders) ? { ok, renders } : undefined;
  if (ok !== false || !isOneOf(WATCH_ERROR_CODES, code) || typeof message !== "string") return undefined;
  return { ok, code, message };
}

/** Returns undefined for anything but a JSON object of bounded length. */
function parseFields(payload: string): Record<string, unknown> | undefined {
  if (payload.length > LONGEST_PAYLOAD) return undefined;
  try {
    const value: unknown = JSON.parse(payload);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}
