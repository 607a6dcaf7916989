// The `image` field of a request: a URL, a data URI or bare base64.
import { ServiceError } from "../../shared/errors.ts";

/** Largest picture file, in bytes. Source: the contract's upload limits. */
export const MAX_PORTRAIT_BYTES = 10_000_000;

export type PortraitInput = { kind: "url"; url: string } | { kind: "bytes"; bytes: Uint8Array };

const DATA_URI = /^data:([^;,]*)((?:;[^;,]*)*),/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Parses the field. Throws ServiceError: VALIDATION_ERROR when it is none of the three forms, UNSUPPORTED_TYPE for a data URI that is
 *  no picture, FILE_TOO_LARGE. What the bytes hold is for the decoder to judge. */
export function parsePortraitInput(field: string): PortraitInput {
  const text = field.trim();
  if (text === "") throw new ServiceError("VALIDATION_ERROR", "image is empty");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: "url", url: text };
  const uri = DATA_URI.exec(text);
  if (!uri) return { kind: "bytes", bytes: decodeBase64(text) };
  if (!uri[1].toLowerCase().startsWith("image/")) {
    throw new ServiceError("UNSUPPORTED_TYPE", "The data URI in image does not hold a picture");
  }
  if (!uri[2].toLowerCase().split(";").includes("base64")) {
    throw new ServiceError("VALIDATION_ERROR", "The data URI in image must be base64");
  }
  return { kind: "bytes", bytes: decodeBase64(text.slice(uri[0].length)) };
}

function decodeBase64(text: string): Uint8Array {
  const compact = text.replace(/\s+/g, "");
  if (!BASE64.test(compact)) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      "image must be a URL starting with https:// or http://, base64, or a data URI",
    );
  }
  if (compact.length * 0.75 > MAX_PORTRAIT_BYTES + 2) {
    throw new ServiceError("FILE_TOO_LARGE", `The picture is larger than ${MAX_PORTRAIT_BYTES / 1e6} MB`);
  }
  const bytes = Buffer.from(compact, "base64");
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "image holds no data");
  return bytes;
}
