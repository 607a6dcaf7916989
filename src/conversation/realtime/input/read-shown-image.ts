// An image that a client shows: checked as far as its header goes, and passed on to the language model undecoded.
import { readImageHeader } from "../../../signal/image/read-image-header.ts";
import type { LlmImage } from "../../llm/llm-turn.ts";
import { RealtimeError } from "../realtime-error.ts";

const DATA_URL = /^data:([^;,]{0,100})(?:;[^;,]{1,100})*;base64,/i;
/** Larger ones cost the model's server more memory than an image of a conversation is worth. */
const MAX_PIXELS = 40_000_000;

/** Reads a data URL. Throws RealtimeError if it is not one, or not of a JPEG, PNG or WebP that is whole. */
export function readShownImage(url = ""): LlmImage {
  const [head, type] = DATA_URL.exec(url.slice(0, 1_000)) ?? [];
  if (head === undefined || type === undefined) {
    throw refusal("An image is sent as a data URL in base64. Addresses are not fetched.");
  }
  const bytes = Buffer.from(url.slice(head.length), "base64");
  const header = readImageHeader(bytes);
  if (!header) throw refusal(`The image (${type || "no type"}) cannot be decoded. Send a whole JPEG, PNG or WebP.`);
  if (header.widthPx * header.heightPx > MAX_PIXELS) {
    throw refusal(`The image has more than ${MAX_PIXELS / 1e6} megapixels. Scale it down.`);
  }
  return { bytes, type: header.type };
}

function refusal(message: string): RealtimeError {
  return new RealtimeError(message, { code: "invalid_image", param: "item.content.image_url" });
}
