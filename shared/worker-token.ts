// The credentials of avatar workers and realtime relays: short-lived JWTs, signed with the LiveKit API secret that they
// share with the api. Each kind has an audience of its own, so that no LiveKit token passes for it, and it passes for
// none.
import { jwtVerify, SignJWT } from "jose";
import { AUDIENCE_RELAY, AUDIENCE_WORKER } from "./wire-names.ts";

const LIFETIME_S = 60;

export interface LiveKitKey {
  apiKey: string;
  apiSecret: string;
}

/** A token for one report, valid for a minute. */
export function mintWorkerToken(key: LiveKitKey): Promise<string> {
  return mint(key, AUDIENCE_WORKER);
}

/** Whether an Authorization header holds such a token. Never throws. */
export function verifyWorkerToken(header: string | string[] | undefined, key: LiveKitKey): Promise<boolean> {
  return verify(header, key, AUDIENCE_WORKER);
}

/** A token for one request of a relay, valid for a minute. */
export function mintRelayToken(key: LiveKitKey): Promise<string> {
  return mint(key, AUDIENCE_RELAY);
}

/** Whether an Authorization header holds such a token. Never throws. */
export function verifyRelayToken(header: string | string[] | undefined, key: LiveKitKey): Promise<boolean> {
  return verify(header, key, AUDIENCE_RELAY);
}

function mint({ apiKey, apiSecret }: LiveKitKey, audience: string): Promise<string> {
  return new SignJWT({})
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
): Promise<boolean> {
  const [, token] = (typeof header === "string" && /^Bearer +(\S+)$/i.exec(header)) || [];
  if (token === undefined) return false;
  try {
    const secret = new TextEncoder().encode(apiSecret);
    await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      issuer: apiKey,
      audience,
      requiredClaims: ["exp"],
      clockTolerance: LIFETIME_S,
    });
    return true;
  } catch {
    return false; // Whatever is wrong with it, the caller is not one of our programs.
  }
}
