// Derives keys by purpose: a signature or ciphertext for one purpose is invalid for another.
import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;

/** The 32-byte key of one purpose, by HKDF-SHA256 from the installation's signing key. */
export function deriveKey(signingKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", signingKey, "", purpose, KEY_BYTES));
}
