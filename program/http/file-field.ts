// Parses request fields that hold a file as a URL, a data URI or bare base64.
import { ServiceError } from "../../shared/errors.ts";
import { BASE64_TEXT, DATA_URI_HEAD, isBase64Uri, isWholeBase64 } from "./base64-text.ts";

export type FileField = { kind: "url"; url: string } | { kind: "bytes"; bytes: Uint8Array };

export interface FileFieldRules {
  /** Name of the field, for messages. */
  name: string;
  /** Media type that the data URI must have. */
  type: "image" | "audio";
  /** The word for the file in messages. */
  noun: string;
  maxBytes: number;
}

/** Parses a field. Throws VALIDATION_ERROR if it has none of the three forms or is a data URI of another type, and
 *  FILE_TOO_LARGE. Does not inspect the bytes; the decoder does. */
export function parseFileField(field: string, rules: FileFieldRules): FileField {
  const text = field.trim();
  if (text === "") throw new ServiceError("VALIDATION_ERROR", `${rules.name} is empty`);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: "url", url: text };
  const uri = DATA_URI_HEAD.exec(text);
  if (!uri) return { kind: "bytes", bytes: decodeBase64(text, rules) };
  if (!uri[1].toLowerCase().startsWith(`${rules.type}/`)) {
    throw new ServiceError("VALIDATION_ERROR", `The data URI in ${rules.name} contains no ${rules.noun}`);
  }
  if (!isBase64Uri(uri[2])) {
    throw new ServiceError("VALIDATION_ERROR", `The data URI in ${rules.name} must be base64`);
  }
  return { kind: "bytes", bytes: decodeBase64(text.slice(uri[0].length), rules) };
}

function decodeBase64(text: string, { name, noun, maxBytes }: FileFieldRules): Uint8Array {
  const compact = text.replace(/\s+/g, "");
  const [, digits, padding] = BASE64_TEXT.exec(compact) ?? [];
  if (digits === undefined || !isWholeBase64(digits.length, padding.length)) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      `${name} must be a URL starting with https:// or http://, base64, or a data URI`,
    );
  }
  if (compact.length * 0.75 > maxBytes + 2) {
    throw new ServiceError("FILE_TOO_LARGE", `The ${noun} is larger than ${maxBytes / 1e6} MB`);
  }
  const bytes = Buffer.from(compact, "base64");
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", `${name} contains no data`);
  return bytes;
}
