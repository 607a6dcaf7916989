// Makes the track of a gesture: a length, a seed and a face give float32 [frames × 33] at 25 fps, which is added to the
// other motion of the face. A longer gesture has more movements, not slower ones.
import {
  FACE_PARAMETER_COUNT,
  type FacePose,
  FACE_PARAMETER_INDEX as K,
  toParameterVector,
} from "../../../shared/face-parameters.ts";
import { GESTURE_NAMES, type GestureName } from "../../../shared/gesture-names.ts";
import { FRAME_RATE_FPS } from "../../../shared/units.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { hashUnit } from "../motion/smooth-noise.ts";
import { fitToFace, type GestureFace, OPEN_FACE, SIDEWAYS } from "./gesture-face.ts";
import { GESTURE_PLANS, type GesturePlan } from "./gesture-plans.ts";
import { type Movement, sampleMovement } from "./movement.ts";
import { limitSpeed } from "./speed-limits.ts";

/** Lengths that callers may ask for. Source: the contract. */
export const GESTURE_SECONDS = Object.freeze({ least: 1, most: 10 });

export interface GestureOptions {
  /** 1 to 10. Default: what the gesture takes by itself. */
  seconds?: number;
  /** Integer. The same seed gives the same track. Default 1. */
  seed?: number;
  /** Default: a face that allows everything. */
  face?: GestureFace;
}

/** What is held comes within this time and goes within the other, s; in a short gesture within these shares of it. */
const HOLD_RISE_SECONDS = 0.5;
const HOLD_RISE_SHARE = 0.3;
const HOLD_FALL_SECONDS = 0.7;
const HOLD_FALL_SHARE = 0.4;
/** Eyes jump to where they are held, a moment after the start, and back a moment before the end, s. */
const GAZE_AFTER_SECONDS = 0.12;
const GAZE_JUMP_SECONDS = 0.1;
const GAZE: readonly number[] = [K.gazeX, K.gazeY];
/** Lids shut as planned: a blink that does not shut them looks tired. */
const LIDS: readonly number[] = [K.blinkL, K.blinkR];
/** A movement may take this much longer or less long than planned, to fill the time. */
const MOST_STRETCH = 1.15;
/** Later movements have between these shares of their amplitude; the first has all of it. */
const LEAST_STRENGTH = 0.75;

/** A movement in its place. */
interface PlacedMovement {
  movement: Movement;
  atSeconds: number;
  /** Length relative to the plan's. */
  stretch: number;
  strength: number;
  isMirrored: boolean;
}

/** The tracks of all gestures by name. Throws RangeError for a length out of range. */
export function gestureTracks(options: GestureOptions = {}): Map<GestureName, Float32Array> {
  return new Map(GESTURE_NAMES.map((name) => [name, gestureTrack(name, options)]));
}

/** One frame for each 40 ms; the first and the last are zero. Throws RangeError for a length out of range. */
export function gestureTrack(name: GestureName, options: GestureOptions = {}): Float32Array {
  const plan = GESTURE_PLANS[name];
  const { seconds = plan.seconds, seed = 1, face = OPEN_FACE } = options;
  if (!(seconds >= GESTURE_SECONDS.least && seconds <= GESTURE_SECONDS.most)) {
    throw new RangeError(`a gesture lasts ${GESTURE_SECONDS.least} to ${GESTURE_SECONDS.most} s, not ${seconds}`);
  }
  const frames = Math.round(seconds * FRAME_RATE_FPS);
  const lengthSeconds = (frames - 1) / FRAME_RATE_FPS;
  const track = new Float32Array(frames * FACE_PARAMETER_COUNT);
  addHold(track, plan.hold, lengthSeconds);
  for (const placed of placeMovements(plan, lengthSeconds, streamOf(name, seed))) addMovement(track, placed);
  // What rounding left of the last movement.
  track.fill(0, -FACE_PARAMETER_COUNT);
  fitToFace(track, face);
  limitSpeed(track);
  return track;
}

/** The first movement, then as many as fit, with pauses between them that fill the rest of the time. */
function placeMovements(plan: GesturePlan, lengthSeconds: number, draw: (index: number) => number): PlacedMovement[] {
  const { first, later, pauses } = plan;
  const [leastPause, mostPause] = pauses;
  const chosen = [first];
  let usedSeconds = first.seconds;
  const fits = ({ seconds }: Movement) => usedSeconds + leastPause + seconds <= lengthSeconds;
  for (let turn = 0; ; turn++) {
    // The next in order that fits: the end of a gesture has space for short ones only.
    const offset = later.findIndex((_, index) => fits(later[(turn + index) % later.length]));
    if (offset < 0) break;
    turn += offset;
    const next = later[turn % later.length];
    chosen.push(next);
    usedSeconds += leastPause + next.seconds;
  }
  const weights = chosen.slice(1).map((_, index) => 0.5 + draw(3 * index));
  const weight = weights.reduce((sum, value) => sum + value, 0);
  const movedSeconds = chosen.reduce((sum, { seconds }) => sum + seconds, 0);
  const spareSeconds = lengthSeconds - usedSeconds;
  const longer = weights.map((value) => Math.min(mostPause - leastPause, (spareSeconds * value) / weight));
  const leftSeconds = spareSeconds - longer.reduce((sum, value) => sum + value, 0);
  const stretch = Math.min(MOST_STRETCH, 1 + leftSeconds / movedSeconds);
  let atSeconds = 0;
  return chosen.map((movement, index) => {
    if (index > 0) atSeconds += leastPause + longer[index - 1];
    const placed = {
      movement,
      atSeconds,
      stretch,
      strength: index === 0 ? 1 : LEAST_STRENGTH + (1 - LEAST_STRENGTH) * draw(3 * index + 1),
      isMirrored: plan.changesSides !== false && index > 0 && draw(3 * index + 2) < 0.5,
    };
    atSeconds += stretch * movement.seconds;
    return placed;
  });
}

function addHold(track: Float32Array, hold: FacePose, lengthSeconds: number): void {
  const held = toParameterVector(hold);
  const rise = Math.min(HOLD_RISE_SECONDS, HOLD_RISE_SHARE * lengthSeconds);
  const fall = Math.min(HOLD_FALL_SECONDS, HOLD_FALL_SHARE * lengthSeconds);
  for (let frame = 0; frame * FACE_PARAMETER_COUNT < track.length; frame++) {
    const seconds = frame / FRAME_RATE_FPS;
    const share = smoothstep(seconds / rise) * smoothstep((lengthSeconds - seconds) / fall);
    const gazeShare = gazeShareAt(seconds) * gazeShareAt(lengthSeconds - seconds);
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) {
      track[frame * FACE_PARAMETER_COUNT + k] += (GAZE.includes(k) ? gazeShare : share) * held[k];
    }
  }
}

function gazeShareAt(fromEndSeconds: number): number {
  return smoothstep((fromEndSeconds - GAZE_AFTER_SECONDS) / GAZE_JUMP_SECONDS);
}

function addMovement(track: Float32Array, placed: PlacedMovement): void {
  const { movement, atSeconds, stretch, strength, isMirrored } = placed;
  const endSeconds = atSeconds + stretch * movement.seconds;
  const lastFrame = Math.min(track.length / FACE_PARAMETER_COUNT - 1, Math.floor(endSeconds * FRAME_RATE_FPS));
  for (const { parameter, valueAt } of sampleMovement(movement)) {
    const side = isMirrored && SIDEWAYS.includes(parameter) ? -1 : 1;
    const size = side * (LIDS.includes(parameter) ? 1 : strength);
    for (let frame = Math.ceil(atSeconds * FRAME_RATE_FPS); frame <= lastFrame; frame++) {
      const seconds = (frame / FRAME_RATE_FPS - atSeconds) / stretch;
      track[frame * FACE_PARAMETER_COUNT + parameter] += size * valueAt(seconds);
    }
  }
}

/** Random numbers in [0, 1) of a gesture, so that no two gestures of a seed pause alike. They depend on its name, so a
 *  new gesture leaves the tracks of the others as they are. */
function streamOf(name: string, seed: number): (index: number) => number {
  // FNV-1a.
  let stream = 0x811c9dc5;
  for (const letter of name) stream = Math.imul(stream ^ letter.charCodeAt(0), 0x01000193);
  return (index) => hashUnit(seed, stream, index);
}
