// Keeps a caller's text (a LiveKit join token) unreadable in the database: AES-256-GCM under a key of its own, derived from
// the installation's signing key.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface TextSeal {
  /** nonce, tag and ciphertext in one buffer. */
  seal(text: string): Buffer;
  /** Throws if the buffer was changed or sealed under another key. */
  open(sealed: Buffer): string;
}

/** A seal for one purpose; what another purpose sealed cannot be opened. */
export function createTextSeal(signingKey: Uint8Array, purpose: string): TextSeal {
  const key = Buffer.from(hkdfSync("sha256", signingKey, new Uint8Array(0), `seal:${purpose}`, KEY_BYTES));
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed) {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    },
  };
}
