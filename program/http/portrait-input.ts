// The `image` field of a request.
import { type FileField, parseFileField } from "./file-field.ts";

/** Largest image file, in bytes. Source: the contract's upload limits. */
export const MAX_PORTRAIT_BYTES = 10_000_000;

/** Parses the field. Throws as `parseFileField`. */
export function parsePortraitInput(field: string): FileField {
  return parseFileField(field, { name: "image", type: "image", noun: "image", maxBytes: MAX_PORTRAIT_BYTES });
}
