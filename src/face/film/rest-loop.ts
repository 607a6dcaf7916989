// A face at rest with a movement that loops: after the last frame comes the first, without a jump.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { Actor } from "../motion/actor.ts";
import type { Avatar } from "../rendering/avatar.ts";

/** What a frame is rendered from. */
export interface RestFrame {
  /** float32 [33], rest pose included. */
  parameters: Float32Array;
  /** The chest, −1 exhaled to 1 inhaled. */
  breath: number;
}

/** The end of the loop fades into what comes before its start: two seconds, longer than a sway of the head. */
const FADE_FRAMES = 50;
/** Lids that move more than this while the end fades would stay half shut. */
const MOST_LID_MOTION = 0.25;
const MAX_SEEDS = 100;
const NO_MOUTH = new Float32Array(FACE_PARAMETER_COUNT);

/** `count` frames of 40 ms that loop; more than 100. The same for the same avatar. */
export function restLoop(avatar: Pick<Avatar, "restPose" | "headMotion">, count: number): RestFrame[] {
  for (let seed = 1; ; seed++) {
    const motion = moveAtRest(avatar, seed, FADE_FRAMES + count);
    const faded = [...motion.slice(0, FADE_FRAMES), ...motion.slice(count)];
    const lids = faded.map(({ parameters }) => parameters[K.blinkL]);
    if (seed < MAX_SEEDS && Math.max(...lids) - Math.min(...lids) > MOST_LID_MOTION) continue;
    return Array.from({ length: count }, (_, index) => {
      const fading = index - (count - FADE_FRAMES) + 1;
      const frame = motion[FADE_FRAMES + index];
      return fading <= 0 ? frame : mix(frame, motion[fading - 1], smoothstep(fading / (FADE_FRAMES + 1)));
    });
  }
}

function moveAtRest({ restPose, headMotion }: Pick<Avatar, "restPose" | "headMotion">, seed: number, count: number) {
  const actor = new Actor({ seed, restPose, headMotion, gestures: new Map() });
  return Array.from({ length: count }, (_, index): RestFrame => {
    const parameters = actor.pose(index, NO_MOUTH, null).slice();
    return { parameters, breath: actor.breath };
  });
}

function mix(from: RestFrame, to: RestFrame, share: number): RestFrame {
  const between = (a: number, b: number) => a + share * (b - a);
  return {
    parameters: from.parameters.map((value, k) => between(value, to.parameters[k])),
    breath: between(from.breath, to.breath),
  };
}
