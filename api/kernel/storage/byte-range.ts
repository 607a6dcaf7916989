// Parses the `Range` header (RFC 9110 §14): single ranges only, because players and resumed downloads send no others.
import type { ByteRange } from "./object-storage.ts";

/** The part of an object of `sizeBytes` that a `Range` header requests: null for the whole object (no header, several
 *  ranges, or a header that must be ignored), `unsatisfiable` if it lies outside. Never throws. */
export function parseByteRange(header: string | undefined, sizeBytes: number): ByteRange | null | "unsatisfiable" {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return null;
  if (match[1] === "") {
    const length = Number(match[2]);
    return length === 0 || sizeBytes === 0
      ? "unsatisfiable"
      : { start: Math.max(0, sizeBytes - length), end: sizeBytes };
  }
  const start = Number(match[1]);
  const last = match[2] === "" ? sizeBytes - 1 : Number(match[2]);
  if (match[2] !== "" && last < start) return null;
  if (start >= sizeBytes) return "unsatisfiable";
  return { start, end: Math.min(last, sizeBytes - 1) + 1 };
}
