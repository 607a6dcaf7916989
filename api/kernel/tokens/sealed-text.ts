// Keeps a text (a caller's LiveKit join token, a webhook secret) unreadable in the database: AES-256-GCM under a key by
// purpose. Not a JWE: `jose` would make every seal asynchronous and add a second stored format, for the same cipher.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { deriveKey } from "./derive-key.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface TextSeal {
  /** Nonce, tag and ciphertext in one buffer. */
  seal(text: string): Buffer;
  /** Throws if the buffer was changed or sealed under another key. */
  open(sealed: Buffer): string;
}

/** A seal for one purpose. It cannot open what was sealed for another. */
export function createTextSeal(signingKey: Uint8Array, purpose: string): TextSeal {
  const key = deriveKey(signingKey, `seal:${purpose}`);
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    },
  };
}
