import { createHash } from "node:crypto";

/** Digest of an id, 16 hex digits. It keeps ids of tokens and tabs out of rooms, where every participant reads them. */
export function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
