// Descriptions of the fields of agents' gestures.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const DYNAMICS_FIELDS: FieldDescriptions = {
  "Dynamics.url": "Link to the model file with the gestures, valid for one hour; null until gestures are generated",
  "Dynamics.status": "State of the last generation; ready also before the first one",
  "Dynamics.gestures":
    "Link to the clip (MP4) of each gesture, by its action name; the links do not expire. Clips stay as they are until gestures are generated again, also when a new version bakes the model again",
  "Dynamics.descriptions": "What each clip shows, in words: an avatar has no hands",
  "Dynamics.cues":
    "Beginnings of sentences with which each gesture plays, in the agent's language, in lower case and without signs. Others play on request",
  "Dynamics.enabled": "Whether the agent's own gestures play in its sessions, and with what it says",
  "Dynamics.duration": "Length of each gesture in seconds; null until gestures are generated",
  "Dynamics.progress": "Progress of the last generation, 0 to 1",
  "Dynamics.error_message": "Why the last generation failed; it was refunded in full",
  "GenerateDynamics.image_url":
    "The agent's own portrait: its image_url, or the URL that it was created from. Any other is refused with 400",
  "GenerateDynamics.duration": "Seconds of each gesture, 1 to 10. Default 5",
  "GenerateDynamics.model":
    "quality, speed or auto. Every value is accepted and makes the same gestures. An Idempotency-Key is bound to it",
  "ChangeDynamics.dynamics": "Merged into the configuration. Its field enabled switches the agent's own gestures",
  "ChangeDynamicsDynamics.enabled": "As toggle_enabled, which counts if both are given",
  "ChangeDynamics.toggle_enabled":
    "Switches the agent's own gestures on or off. If they are off, the gestures of every avatar play",
  regeneration_status:
    "Whether the gestures are being made anew, at no charge: failed if the agent has none yet; its configuration is kept all the same",
  regeneration_error: "Why the gestures are not being made anew",
};
