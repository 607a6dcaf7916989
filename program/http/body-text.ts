// Converts the bytes of a body to its value, with errors for callers.
import { ServiceError } from "../../shared/errors.ts";

/** The text of UTF-8 bytes. Throws VALIDATION_ERROR. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError("VALIDATION_ERROR", "The body is not valid UTF-8", { cause });
  }
}

/** The value of JSON text; `{}` for an empty one. Throws VALIDATION_ERROR. */
export function parseJson(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError("VALIDATION_ERROR", "The body is not valid JSON", { cause });
  }
}

/** The error for a body over its limit. */
export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError("FILE_TOO_LARGE", `The body exceeds the limit of ${limitBytes} bytes`);
}
