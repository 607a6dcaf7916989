// Descriptions of the fields of embed tokens.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const EMBED_FIELDS: FieldDescriptions = {
  fingerprint:
    "Stable id of the visitor, chosen by the embedding site; limits apply per visitor. Required, unless shared is true",
  shared:
    "Mint a token that names no visitor, for a page that every visitor gets alike. Its visitors may name themselves in " +
    "the page's address (end_user_id, endUserId, visitor_id or fingerprint). Nothing proves that name: it is the " +
    "session's end user and counts for the limits per visitor, and avatars never remember it. Each browser tab has its " +
    "own conversation. Limits apply per network address and per token as well",
  sid: "Id of the visitor's session",
};
