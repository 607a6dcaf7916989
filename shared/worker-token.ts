// The credential of an avatar worker that reports itself: a short-lived JWT, signed with the LiveKit API secret that
// workers and the api share. It has an audience of its own, so that no LiveKit token passes for it, and it passes for
// none.
import { jwtVerify, SignJWT } from "jose";
import { AUDIENCE_WORKER } from "./wire-names.ts";

const LIFETIME_S = 60;

export interface LiveKitKey {
  apiKey: string;
  apiSecret: string;
}

/** A token for one report, valid for a minute. */
export function mintWorkerToken({ apiKey, apiSecret }: LiveKitKey): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(apiKey)
    .setAudience(AUDIENCE_WORKER)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_S} s`)
    .sign(new TextEncoder().encode(apiSecret));
}

/** Whether an Authorization header holds such a token. Never throws. */
export async function verifyWorkerToken(
  header: string | string[] | undefined,
  { apiKey, apiSecret }: LiveKitKey,
): Promise<boolean> {
  const [, token] = (typeof header === "string" && /^Bearer +(\S+)$/i.exec(header)) || [];
  if (token === undefined) return false;
  try {
    const secret = new TextEncoder().encode(apiSecret);
    await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      issuer: apiKey,
      audience: AUDIENCE_WORKER,
      requiredClaims: ["exp"],
      clockTolerance: LIFETIME_S,
    });
    return true;
  } catch {
    return false; // Whatever is wrong with it, the caller is not one of our workers.
  }
}
