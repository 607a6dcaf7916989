// Fetches what the face is made of, in pieces that any host passes on: it may load nothing itself.
import { HostError, type HostLink } from "./host-link.ts";
import type { SpeakingOrder } from "./speaking-order.ts";

/** Longest for one piece, ms. */
const PIECE_MS = 60_000;
/** Most bytes of each part. */
const LIMITS_BYTES = { face: 8_000_000, "lip-sync": 4_000_000, speech: 5_000_000, film: 16_000_000 } as const;

export type PartName = keyof typeof LIMITS_BYTES;

export interface Part {
  /** Base64 of the whole. */
  base64: string;
  mimeType: string;
}

export interface FetchPartOptions {
  /** Further arguments. */
  more?: object;
  /** 0 to 1. */
  onProgress?(share: number): void;
  /** Longest for one piece, ms. Default 60,000. */
  pieceMs?: number;
}

/** The whole part. Rejects with HostError if it cannot be had, is too large, or changes meanwhile. */
export async function fetchPart(
  link: HostLink,
  { agentId, model, text, voice, language, isLocal }: SpeakingOrder,
  part: PartName,
  { more = {}, onProgress = () => undefined, pieceMs = PIECE_MS }: FetchPartOptions = {},
): Promise<Part> {
  const about = isLocal ? {} : part === "speech" ? { text, voice, language } : part === "face" ? { model } : {};
  const pieces: string[] = [];
  let offset = 0;
  let hash: unknown;
  for (;;) {
    const given = { agent_id: agentId, part, offset, ...about, ...more };
    const { structuredContent = {}, content } = await link.call("get_face_part", given, pieceMs);
    const { total_bytes: total, bytes, sha256 } = structuredContent;
    const resource = content.find(({ type }) => type === "resource")?.resource;
    if (typeof total !== "number" || typeof bytes !== "number" || bytes < 1 || resource?.blob === undefined)
      throw new HostError("INCOMPLETE");
    if (total > LIMITS_BYTES[part]) throw new HostError("TOO_LARGE");
    if (offset > 0 && sha256 !== hash) throw new HostError("CHANGED");
    hash = sha256;
    // Pieces have a multiple of three bytes, but for the last, so that their texts join.
    pieces.push(resource.blob);
    offset += bytes;
    onProgress(offset / total);
    if (offset >= total) return { base64: pieces.join(""), mimeType: resource.mimeType ?? "application/octet-stream" };
  }
}
