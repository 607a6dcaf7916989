// Signatures of links that work without a credential: a link grants one action until it expires.
import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "./derive-key.ts";

export interface LinkSigner {
  /** The signature of the parts, in base64url. Parts must not contain line breaks, so that different lists have
   *  different signatures. */
  sign(...parts: readonly (string | number)[]): string;
  /** Whether a signature belongs to these parts. Compares in constant time. */
  isSigned(signature: string, ...parts: readonly (string | number)[]): boolean;
}

/** A signer for one purpose: HMAC-SHA256 under a key of its own. */
export function createLinkSigner(signingKey: Uint8Array, purpose: string): LinkSigner {
  const key = deriveKey(signingKey, purpose);
  const sign: LinkSigner["sign"] = (...parts) => createHmac("sha256", key).update(parts.join("\n")).digest("base64url");
  return {
    sign,
    isSigned(signature, ...parts) {
      const expected = Buffer.from(sign(...parts));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
