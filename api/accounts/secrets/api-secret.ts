// API secrets: how one looks, and how it is kept. The database holds a hash only, so a secret can be shown just once.
import { hash, randomBytes } from "node:crypto";

const PREFIX = "as_";
const RANDOM_BYTES = 31;

/** A new secret: 65 characters, 248 random bits. */
export function generateApiSecret(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString("hex");
}

/** SHA-256 of a secret. A slow hash is for guessable passwords; these are random (and an operator's own has at least 32
 *  characters), and finding a row by an indexed hash leaks nothing useful by its timing. */
export function hashApiSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** What may be shown of a secret afterwards. */
export function lastFourOf(secret: string): string {
  return secret.slice(-4);
}
