// The credentials of avatar workers and realtime relays: short-lived JWTs, signed with the LiveKit API secret that they
// share with the api. Each kind has an audience of its own, so that no LiveKit token passes for it, and it passes for
// none. None brings its bearer another one of its kind.
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { AUDIENCE_REALTIME, AUDIENCE_RELAY, AUDIENCE_WORKER } from "./wire-names.ts";

const LIFETIME_S = 60;

export interface LiveKitKey {
  apiKey: string;
  apiSecret: string;
}

/** A worker and the WebSocket URL of its realtime server. */
export interface WorkerAddress {
  workerId: string;
  url: string;
}

/** What a worker's token says. */
export interface WorkerClaims {
  /** Null in a token of the version before, which names no worker. */
  workerId: string | null;
  /** URL of its realtime server, if it has one; it cannot be reported with another one. */
  realtimeUrl: string | undefined;
}

/** A token for one report, valid for a minute. */
export function mintWorkerToken(
  key: LiveKitKey,
  { workerId, realtimeUrl }: { workerId: string; realtimeUrl?: string },
): Promise<string> {
  return mint(key, AUDIENCE_WORKER, { sub: workerId, realtime_url: realtimeUrl });
}

/** What the token of an Authorization header says; null if it holds none. Never throws. */
export async function verifyWorkerToken(
  header: string | string[] | undefined,
  key: LiveKitKey,
): Promise<WorkerClaims | null> {
  const claims = await verify(header, key, AUDIENCE_WORKER);
  if (!claims) return null;
  const url = claims.realtime_url;
  return { workerId: claims.sub ?? null, realtimeUrl: typeof url === "string" ? url : undefined };
}

/** A token for one call to a worker's realtime server, valid for a minute, there and under this URL alone. */
export function mintRealtimeToken(key: LiveKitKey, { workerId, url }: WorkerAddress): Promise<string> {
  return mint(key, AUDIENCE_REALTIME, { sub: workerId, realtime_url: url });
}

/** Whether an Authorization header holds a valid token for this worker. Never throws. */
export async function verifyRealtimeToken(
  header: string | string[] | undefined,
  key: LiveKitKey,
  { workerId, url }: WorkerAddress,
): Promise<boolean> {
  const claims = await verify(header, key, AUDIENCE_REALTIME);
  return claims?.sub === workerId && claims.realtime_url === url;
}

/** A token for one request of a relay, valid for a minute. */
export function mintRelayToken(key: LiveKitKey): Promise<string> {
  return mint(key, AUDIENCE_RELAY, {});
}

/** Whether an Authorization header holds a token of a worker. Never throws. */
export async function verifyRelayToken(header: string | string[] | undefined, key: LiveKitKey): Promise<boolean> {
  return (await verify(header, key, AUDIENCE_RELAY)) !== null;
}

function mint({ apiKey, apiSecret }: LiveKitKey, audience: string, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(apiKey)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_S} s`)
    .sign(new TextEncoder().encode(apiSecret));
}

async function verify(
  header: string | string[] | undefined,
  { apiKey, apiSecret }: LiveKitKey,
  audience: string,
): Promise<JWTPayload | null> {
  const [, token] = (typeof header === "string" && /^Bearer +(\S+)$/i.exec(header)) || [];
  if (token === undefined) return null;
  try {
    const secret = new TextEncoder().encode(apiSecret);
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      issuer: apiKey,
      audience,
      requiredClaims: ["exp"],
      clockTolerance: LIFETIME_S,
    });
    return payload;
  } catch {
    return null; // Whatever is wrong with it, the caller is not one of our programs.
  }
}
