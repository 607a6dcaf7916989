// Checks the LiveKit URL and the join token that a caller provides for the avatar. Both are untrusted, and a worker
// will connect to the URL.
import { decodeJwt, errors, jwtVerify } from "jose";
import { z } from "zod";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import type { AddressGuard } from "./address-guard.ts";
import { LOOPBACK_NAMES } from "./loopback.ts";

const PROTOCOLS = ["ws:", "wss:", "http:", "https:"];
/** Largest allowed difference between the clocks of the caller's token server and ours. */
const CLOCK_TOLERANCE_S = 10;
/** Twice a look-up's own limit: another one of the account may be before it. */
const RESOLVE_TIMEOUT_MS = 4_000;

/** Normalises a URL: ws or wss, lower-case host, no default port, no trailing slash. Two URLs of the same server and
 *  path compare equal. Throws VALIDATION_ERROR if it is no such URL, or has credentials or a private address. */
export function normaliseLiveKitUrl(text: string, guard: AddressGuard): string {
  return canonicalLiveKitUrl(named("livekit_url", () => guard.parseUrl(text, PROTOCOLS)));
}

/** The same form for a URL that needs no check, such as our own server's. Other names of this machine become 127.0.0.1,
 *  so that a room does not count as two because one caller wrote `localhost`. `[::1]` stays: another server may listen
 *  there. */
export function canonicalLiveKitUrl(url: URL): string {
  const scheme = url.protocol === "https:" || url.protocol === "wss:" ? "wss" : "ws";
  // `ws:` and `http:` have the same default port, so it is already gone from `host`.
  const host = LOOPBACK_NAMES.includes(url.hostname) ? url.host.replace(url.hostname, "127.0.0.1") : url.host;
  return `${scheme}://${host}${url.pathname.replace(/\/+$/, "")}`;
}

/** Resolves the server's name. Throws VALIDATION_ERROR if it has a private address, or none within 4 s. `owner`: the
 *  account that names it. */
export async function assertReachable(livekitUrl: string, guard: AddressGuard, owner: string): Promise<void> {
  const url = new URL(livekitUrl);
  try {
    await guard.resolveFor(owner, url, RESOLVE_TIMEOUT_MS);
  } catch (cause) {
    if (isServiceError(cause)) throw new ServiceError(cause.code, `livekit_url: ${cause.message}`, { cause });
    throw new ServiceError("VALIDATION_ERROR", `livekit_url: the host ${url.hostname} has no address`, { cause });
  }
}

export interface JoinTokenCheck {
  token: string;
  roomName: string;
  nowMs: number;
  /** Key and secret of our own server if the token is for it; then the signature is checked too. */
  ownServer: { apiKey: string; apiSecret: string } | null;
}

const joinClaims = z.object({
  sub: z.string().min(1).max(200),
  exp: z.number(),
  nbf: z.number().optional(),
  iss: z.string().optional(),
  video: z.object({ room: z.string(), roomJoin: z.literal(true) }),
});

/** The identity that a join token gives the avatar. Throws VALIDATION_ERROR with the reason; no message contains the
 *  token. Only the other server can verify tokens for a server that is not ours. */
export async function checkJoinToken({ token, roomName, nowMs, ownServer }: JoinTokenCheck): Promise<string> {
  const claims = readClaims(token);
  const nowS = nowMs / 1000;
  if (claims.exp <= nowS - CLOCK_TOLERANCE_S) throw wrongToken("it has expired");
  if (claims.nbf !== undefined && claims.nbf > nowS + CLOCK_TOLERANCE_S) throw wrongToken("it is not valid yet");
  if (claims.video.room !== roomName) throw wrongToken("its room differs from room_name");
  if (ownServer && claims.iss !== ownServer.apiKey) throw wrongToken("its API key is not known to this server");
  if (ownServer) await verifySignature(token, ownServer.apiSecret);
  return claims.sub;
}

function readClaims(token: string): z.infer<typeof joinClaims> {
  let payload: unknown;
  try {
    payload = decodeJwt(token);
  } catch (cause) {
    throw wrongToken("it is not a JWT", cause);
  }
  const parsed = joinClaims.safeParse(payload);
  if (parsed.success) return parsed.data;
  const fields = new Set(parsed.error.issues.map((issue) => issue.path.join(".")));
  if (fields.has("sub")) throw wrongToken("it has no identity");
  if (fields.has("exp")) throw wrongToken("it has no expiry");
  throw wrongToken("it does not grant roomJoin for a room");
}

/** Verifies the signature only: the times were checked against the service's own clock. */
async function verifySignature(token: string, apiSecret: string): Promise<void> {
  try {
    await jwtVerify(token, new TextEncoder().encode(apiSecret), { algorithms: ["HS256"], currentDate: new Date(0) });
  } catch (cause) {
    const isTimeClaim = cause instanceof errors.JWTClaimValidationFailed && cause.claim === "nbf";
    if (!isTimeClaim) throw wrongToken("its signature does not match its API key", cause);
  }
}

function wrongToken(what: string, cause?: unknown): ServiceError {
  return new ServiceError("VALIDATION_ERROR", `livekit_token: ${what}`, { cause });
}

function named<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isServiceError(cause)) throw cause;
    throw new ServiceError(cause.code, `${field}: ${cause.message}`, { cause });
  }
}
