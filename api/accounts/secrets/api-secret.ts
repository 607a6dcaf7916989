// Format and hash of API secrets. The database holds only the hash, so a secret can be shown only when it is issued.
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

/** The part of a secret that lists may show. */
export function lastFourOf(secret: string): string {
  return secret.slice(-4);
}
