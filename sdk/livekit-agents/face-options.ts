import { parseExpression } from "../../shared/expressions.ts";
import { parseManner } from "../../shared/manners.ts";
import { AvatarSessionError } from "./avatar-session-error.ts";

/** How a face behaves, whatever renders it. */
export interface FaceOptions {
  /** What the face shows while nothing else sets it: `happy`, or with an intensity `happy:0.6`; one of neutral, happy,
   *  sad, angry, surprised, afraid, disgusted and content. Default: the agent's; neutral for a `bundle`. */
  emotion?: string;
  /** How lively the face is by itself. Default: the agent's; `natural` for a `bundle`. */
  manner?: "still" | "natural" | "animated";
  /** Whether the face reacts to what users say: it nods after phrases, and raises its brows after questions. The avatar
   *  reads the loudest user's microphone for it, which is neither stored nor sent. Default true. */
  listen?: boolean;
}

/** Throws AvatarSessionError, which lists the names, for an unknown one. */
export function checkFaceOptions({ emotion, manner }: FaceOptions): void {
  try {
    if (emotion !== undefined) parseExpression(emotion);
    if (manner !== undefined) parseManner(manner);
  } catch (cause) {
    throw new AvatarSessionError((cause as RangeError).message, { cause });
  }
}
