// Descriptions of the fields of embed tokens.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const EMBED_FIELDS: FieldDescriptions = {
  fingerprint: "The embedding site's id of the visitor; limits count per visitor",
  sid: "Id of the visitor's session",
};
