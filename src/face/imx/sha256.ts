// SHA-256: by Web Crypto, which Node and browsers have, or in plain JavaScript where a browser withholds it, as from
// workers of pages without an origin.
import { plainSha256 } from "./plain-sha256.ts";

/** Returns the digest in lower-case hexadecimal. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  const digest = subtle
    ? new Uint8Array(await subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>))
    : plainSha256(bytes);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
