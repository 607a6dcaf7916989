// What pays for a session on this machine: the secret of an account, or a token that was minted for one session.
import { createHash } from "node:crypto";

/** `launch-token`: minted with the scope `livekit-cloud`, for one agent in one room. */
export interface Credential {
  kind: "secret" | "launch-token";
  /** Never logged, and never part of an error or a listing. */
  value: string;
}

const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

export function credentialOf(value: string): Credential {
  return { kind: JWT.test(value) ? "launch-token" : "secret", value };
}

/** By this a credential is recognised without being kept: SHA-256, hex. */
export function fingerprintOf(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}
