// What a file is, by its first bytes: names and types of files lie.

/** Bytes that are read for it. */
export const HEAD_BYTES = 64;

export type FileKind = "face" | "film" | "recording";

/** Undefined for a file that the player does not know. `type`: as the browser guessed it. */
export function fileKind(head: Uint8Array, type = ""): FileKind | undefined {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (text(0, 4) === "IMX\0") return "face";
  if (text(0, 4) === "RIFF") return text(8, 12) === "WAVE" ? "recording" : undefined;
  if (text(0, 3) === "ID3" || text(0, 4) === "OggS" || text(0, 4) === "fLaC") {
    // The container of recordings can also hold a film.
    return type.startsWith("video/") ? "film" : "recording";
  }
  // MPEG audio frames and AAC begin with eleven or twelve ones.
  if (head[0] === 0xff && (head[1] & 0xe0) === 0xe0 && head[1] !== 0xff) return "recording";
  const isMatroska = head[0] === 0x1a && head[1] === 0x45 && head[2] === 0xdf && head[3] === 0xa3;
  const isMp4 = text(4, 8) === "ftyp";
  if (!isMatroska && !isMp4) return undefined;
  return type.startsWith("audio/") || (isMp4 && text(8, 11) === "M4A") ? "recording" : "film";
}
