// What a face allows its gestures: measured when the portrait is baked, applied when tracks are made.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";

/** Which lids can be shut, as seen in the image. `none`: behind dark lenses. */
export type WinkingEye = "left" | "right" | "none";

export interface GestureFace {
  /** How far the portrait is turned from the viewer: 0 looks straight ahead, 1 is a profile. A flat image of a turned
   *  face bends when it is turned further. */
  turned: number;
  /** Share of full head motion for which the portrait has free space around the face, 0..1. */
  room: number;
  /** The eye that winks: the nearer one of a turned face. */
  winks: WinkingEye;
  /** Share of the brow movement that is rendered, 0..1: a frame of glasses is not pushed. */
  brows: number;
  /** Share of large mouth movements that look right, 0..1: hair over the lip is stretched by them. */
  mouth: number;
}

/** A face that allows everything: for files that do not say. */
export const OPEN_FACE: GestureFace = Object.freeze({ turned: 0, room: 1, winks: "right", brows: 1, mouth: 1 });

/** Share of a turn of the head that remains in a profile. */
const YAW_IN_PROFILE = 0.35;
/** Head motion stands in for brow movement that is not rendered: pitch and roll grow by this share of it. */
const HEAD_FOR_BROWS = 0.35;
/** Behind dark lenses, the head tilts instead of a wink: roll for a lid that is shut. */
const TILT_FOR_WINK = 0.45;
/** Parameters with a left and a right. */
export const SIDEWAYS: readonly number[] = [K.yaw, K.roll, K.tx, K.gazeX];
const HEAD = [K.yaw, K.pitch, K.roll, K.tx, K.ty];
/** What moves the skin between nose and lip; speech needs no more of them than it is given. */
const LIPS = [K.jaw, K.funnel, K.pucker, K.wide, K.smile, K.upraise, K.lowdep];

/** Changes a track (float32 [frames × 33]) to what the face allows. */
export function fitToFace(track: Float32Array, face: GestureFace): void {
  if (face.winks === "left" && isWink(track)) mirror(track);
  const yaw = 1 - (1 - YAW_IN_PROFILE) * face.turned;
  const forBrows = 1 + HEAD_FOR_BROWS * (1 - face.brows);
  for (let at = 0; at < track.length; at += FACE_PARAMETER_COUNT) {
    if (face.winks === "none") {
      track[at + K.roll] += TILT_FOR_WINK * Math.max(0, track[at + K.blinkR] - track[at + K.blinkL]);
      track[at + K.blinkL] = 0;
      track[at + K.blinkR] = 0;
    }
    track[at + K.yaw] *= yaw;
    track[at + K.pitch] *= forBrows;
    track[at + K.roll] *= forBrows;
    for (const k of HEAD) track[at + k] *= face.room;
    for (const k of LIPS) track[at + k] *= face.mouth;
  }
}

/** Whether the lids move apart from each other. */
function isWink(track: Float32Array): boolean {
  for (let at = 0; at < track.length; at += FACE_PARAMETER_COUNT) {
    if (track[at + K.blinkL] !== track[at + K.blinkR]) return true;
  }
  return false;
}

function mirror(track: Float32Array): void {
  for (let at = 0; at < track.length; at += FACE_PARAMETER_COUNT) {
    for (const k of SIDEWAYS) track[at + k] = -track[at + k];
    [track[at + K.blinkL], track[at + K.blinkR]] = [track[at + K.blinkR], track[at + K.blinkL]];
  }
}
