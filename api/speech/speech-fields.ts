// Descriptions of the fields of speech.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const SPEECH_FIELDS: FieldDescriptions = {};
