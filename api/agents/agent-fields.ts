// Descriptions of the fields of agents, their models and their faces.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const AGENT_FIELDS: FieldDescriptions = {
  prompt: "Description of the agent in plain language",
  duration: "Ignored; accepted for older clients",
  video_aspect_ratio: "Ignored; accepted for older clients",
  framing: "Framing of a generated portrait: head and shoulders, or the full body",
  version: "Generation of the model that essence or expression means: v1 or v2",
  system_prompt: "System prompt of the agent's conversations",
  greeting: "What the agent says first in a conversation",
  language: "ISO 639-1 code of the language that the agent speaks",
  gender: "Gender of the voice",
  subject: "What the portrait shows: a person, an animal or an object",
  image_url: "Link to the portrait",
  video_url:
    "Link to ten seconds of the agent at rest, which loop (MP4). It may be empty at ready and follows within seconds; event_type is video_created then",
  voice_id: "The voice; empty until it is chosen",
  progress: "Progress of the creation, 0 to 1",
  progress_msg: "Progress as text for people; after a failed regeneration of a working agent, also why it failed",
  current_step:
    "Current step of the creation. The step video is not shown: no model needs the identity video, which follows within seconds of ready",
  model_status: "State of each requested model, by model name",
  event_type:
    "The latest event of the creation: persona_created, image_created, face_marking_requested, face_marked, lip_created, agent_failed, or video_created when video_url is there",
  error_message:
    "Why generation failed, if the status is failed; null otherwise. An agent with a working model is ready again after a failed regeneration, with the reason in model_status",
  width_px: "Width of the portrait in pixels",
  height_px: "Height of the portrait in pixels",
  marks: "Positions of the thirty face marks",
  state: "State of the model",
  reason: "Why the model failed, or, of a ready model, why it could not be made again; null otherwise",
  "Agent.dynamics": "Gesture configuration; fields beside enabled are those that were set",
  "AgentDynamics.enabled": "Whether the agent's own gestures play in its sessions, and with what it says",
  warnings: "What the caller should know about the accepted request",
  "AgentWarning.code":
    "For programs. MODEL_DEFAULT_DEPRECATED: model was omitted. PICTURE_TOO_TIGHT: the image shows too little for aspect_ratio, and background is added. PICTURE_TOO_SMALL: the image is enlarged so far that it looks soft",
  updated: "Always true",
  redirect: "false returns the file's URL as JSON instead of a redirect",
  filename: "Filename for the download",
  expires_in: "Seconds until the link expires",
  is_public: "Whether anyone may meet the agent at its public address, without an embed token",
  origins:
    "Sites that may show the public page in a frame: https, or http on localhost; https://*.shop.example stands for all subdomains. Empty: no other site; the address itself works for everyone",
  visitor_minutes_per_day:
    "Minutes of conversation that one visitor may have in a day (UTC), 1 to 1440; ten times as many for all visitors of one network address. Default: 30",
  sessions_per_day: "Sessions of all visitors together that may begin in a day (UTC), 1 to 100,000. Default: 100",
  "AgentSharing.url": "Address of the public page; null if the agent is not public",
  "agents.list.status": "Only agents of this status",
};
