// The payload of `trigger_dynamics`.
import { z } from "zod";

/** Longest name that is read and answered, in characters. */
const MAX_NAME = 100;

export interface GestureRequest {
  /** Name of a gesture, or words for one; empty if the payload has neither. */
  action: string;
  /** Starts the gesture again if it plays, and although those speak who would stop it. */
  isForced: boolean;
  /** Ends the gesture when a user begins to speak. */
  stopsOnUserSpeech: boolean;
  /** Ends the gesture when the avatar begins to speak. */
  stopsOnAgentSpeech: boolean;
}

/** Fields of another type count as absent: by contract an unknown action is not an error. */
const flag = z.boolean().catch(false);
const name = z.string().catch("");
const payloadSchema = z.object({
  action: name,
  target_video: name,
  force_action: flag,
  stop_on_user_speech: flag,
  stop_on_agent_speech: flag,
});

/** The request of a payload; null if it is no JSON object. `target_video` names the gesture if `action` does not: by
 *  its clip's file name or link. Never throws. */
export function parseGestureRequest(payload: string): GestureRequest | null {
  const parsed = payloadSchema.safeParse(parseJson(payload));
  if (!parsed.success) return null;
  const { action, target_video, force_action, stop_on_user_speech, stop_on_agent_speech } = parsed.data;
  return {
    action: (action || gestureOfClip(target_video)).slice(0, MAX_NAME),
    isForced: force_action,
    stopsOnUserSpeech: stop_on_user_speech,
    stopsOnAgentSpeech: stop_on_agent_speech,
  };
}

/** `laugh_react` of `https://…/laugh_react.mp4?…`. */
function gestureOfClip(clip: string): string {
  const path = clip.slice(0, 4_096).split(/[?#]/, 1)[0];
  const file = path.slice(path.lastIndexOf("/") + 1);
  return file.replace(/\.[a-z0-9]{1,5}$/i, "");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
