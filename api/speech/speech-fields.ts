// Descriptions of the fields of speech.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const SPEECH_FIELDS: FieldDescriptions = {
  "Voice.name": "Name of the voice; of a designed one, the name of the agent that speaks with it",
  "VoiceAxis.name": "Name of the axis, for axes",
  "VoiceAxis.description": "What the axis changes, and which way",
  suggested_min: "Below this, voices begin to sound processed; the limit is -0.5",
  suggested_max: "Above this, voices begin to sound processed; the limit is 0.5",
  voices: "The voices",
  axes: "The axes",
  "VoicePreview.axes": "Changes the voice; absent axes are 0",
};
