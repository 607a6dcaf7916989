// Values that a person or a program holds, of which the database has the hash only.
import { hash, randomBytes } from "node:crypto";

const RANDOM_BYTES = 32;
const MAX_CHARACTERS = 100;

/** A new value: 43 characters of base64url, 256 random bits. */
export function createRandomValue(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}

/** The hash under which a value is stored. A text that is too long to be one has the hash of none. */
export function hashRandomValue(value: string): Buffer {
  return hash("sha256", value.slice(0, MAX_CHARACTERS), "buffer");
}
