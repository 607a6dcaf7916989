// Descriptions of the fields of embed tokens.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const EMBED_FIELDS: FieldDescriptions = {
  fingerprint: "Stable id of the visitor, chosen by the embedding site; limits apply per visitor",
  sid: "Id of the visitor's session",
};
