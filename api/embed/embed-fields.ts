// Descriptions of the fields of embed tokens.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const EMBED_FIELDS: FieldDescriptions = {
  fingerprint: "The visitor, as the embedding site knows it: limits count for each",
  sid: "Id of the visitor's session",
};
