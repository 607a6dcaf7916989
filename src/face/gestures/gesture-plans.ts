// What each gesture consists of: what the face holds throughout, the movement that everybody knows the gesture by, and
// the movements that follow while it lasts. Amplitudes are those of a face that looks straight ahead. Positive pitch
// nods, negative ty rises; a head turns 10° at yaw 1 and tilts 5° at roll 1.
import type { FacePose } from "../../../shared/face-parameters.ts";
import type { GestureName } from "../../../shared/gesture-names.ts";
import * as M from "./gesture-movements.ts";
import type { Movement } from "./movement.ts";

export interface GesturePlan {
  /** Length that the gesture has by itself, s. */
  seconds: number;
  /** Held from the start to the end. */
  hold: FacePose;
  first: Movement;
  /** In the order in which they follow; then again from the start. */
  later: readonly Movement[];
  /** Shortest and longest pause between movements, s. */
  pauses: readonly [number, number];
  /** Whether later movements change sides. Default true. */
  changesSides?: boolean;
}

export const GESTURE_PLANS: Readonly<Record<GestureName, GesturePlan>> = Object.freeze({
  mini_wave_hello: {
    seconds: 2.2,
    hold: { smile: 0.6, wide: 0.18, brow: 0.12 },
    first: M.greeting,
    later: [M.swayHello, M.browFlash, M.welcomeNod, M.softTilt],
    pauses: [0.3, 1],
  },
  talk_head_nod_subtle: {
    seconds: 2.2,
    hold: { brow: 0.05 },
    first: M.talkNods,
    later: [M.talkTilt, M.talkAccent, M.smallNod, M.talkNods],
    pauses: [0.15, 0.6],
  },
  blow_kiss_heart: {
    seconds: 2.4,
    hold: { smile: 0.2 },
    first: M.kiss,
    later: [M.warmSmile, M.kiss, M.slowBlink],
    pauses: [0.3, 1],
  },
  laugh_react: {
    seconds: 2.2,
    hold: { smile: 0.6, wide: 0.3, brow: 0.1, blinkL: 0.08, blinkR: 0.08 },
    first: M.chuckle,
    later: [M.browFlash, M.chuckle, M.headDown, M.chuckle, M.softTilt],
    pauses: [0.25, 0.8],
  },
  idle_subtle: {
    seconds: 4.4,
    hold: { smile: 0.05 },
    first: M.shiftWeight,
    later: [M.lookAside, M.softSmile, M.softTilt, M.slowBlink, M.shiftWeight],
    pauses: [0.2, 0.9],
  },
  clap_cheer: {
    seconds: 2.2,
    hold: { smile: 0.66, wide: 0.3, brow: 0.25, blinkL: 0.05, blinkR: 0.05 },
    first: M.cheer,
    later: [M.happyNods, M.cheer, M.swayHello, M.cheer],
    pauses: [0.12, 0.5],
  },
  heart_hands: {
    seconds: 3,
    hold: { smile: 0.58, wide: 0.14, brow: 0.12, roll: 0.16 },
    first: M.affection,
    later: [M.slowBlink, M.warmSmile, M.softTilt, M.affection],
    pauses: [0.25, 0.8],
  },
  thumbs_up_pulse: {
    seconds: 2,
    hold: { smile: 0.36, wide: 0.1, brow: 0.08 },
    first: M.approval,
    later: [M.browFlash, M.approval, M.welcomeNod],
    pauses: [0.3, 0.9],
    changesSides: false,
  },
  celebration_jump: {
    seconds: 2.2,
    hold: { smile: 0.66, wide: 0.3, brow: 0.22, blinkL: 0.05, blinkR: 0.05 },
    first: M.leaps,
    later: [M.swayHello, M.leaps, M.happyNods, M.browFlash],
    pauses: [0.12, 0.5],
  },
  nod: {
    seconds: 1.4,
    hold: { brow: 0.06 },
    first: M.nods,
    later: [M.slowNod, M.smallNod, M.nods, M.smallNod],
    pauses: [0.3, 1],
    changesSides: false,
  },
  shake: {
    seconds: 1.5,
    hold: { brow: -0.16, smile: -0.1 },
    first: M.shakes,
    later: [M.slowShake, M.regret, M.shakes],
    pauses: [0.35, 1],
  },
  wink: {
    seconds: 1.3,
    hold: { smile: 0.34, roll: 0.1 },
    first: M.wink,
    later: [M.browFlash, M.warmSmile, M.wink, M.smallNod],
    pauses: [0.4, 1.1],
    changesSides: false,
  },
  surprise: {
    seconds: 1.8,
    hold: { brow: 0.4, jaw: 0.05, blinkL: -0.1, blinkR: -0.1 },
    first: M.startle,
    later: [M.lookCloser, M.doubleBlink, M.disbelief, M.browFlash],
    pauses: [0.25, 0.8],
  },
  thinking: {
    seconds: 2.6,
    hold: { gazeX: 0.7, gazeY: -0.7, yaw: 0.24, roll: 0.36, pitch: -0.1, brow: 0.24 },
    first: M.ponder,
    later: [M.pressLips, M.lookAcross, M.weigh, M.ponder],
    pauses: [0.3, 0.9],
    changesSides: false,
  },
  listening: {
    seconds: 3,
    hold: { roll: 0.26, pitch: 0.08, brow: 0.14, smile: 0.06 },
    first: M.smallNod,
    later: [M.browFlash, M.talkNods, M.straighten, M.smallNod, M.slowNod],
    pauses: [0.5, 1.3],
    changesSides: false,
  },
  laugh: {
    seconds: 2.8,
    hold: { smile: 0.8, wide: 0.4, upraise: 0.12, brow: 0.12, blinkL: 0.12, blinkR: 0.12 },
    first: M.laughter,
    later: [M.breather, M.chuckle, M.laughter, M.headDown],
    pauses: [0.15, 0.5],
  },
  idle_attentive: {
    seconds: 4,
    hold: { brow: 0.08, pitch: 0.05, smile: 0.05 },
    first: M.leanIn,
    later: [M.smallNod, M.softTilt, M.softSmile, M.browFlash, M.leanIn],
    pauses: [0.4, 1.1],
  },
  idle_thoughtful: {
    seconds: 4.4,
    hold: { brow: 0.03 },
    first: M.daydream,
    later: [M.pressLips, M.softTilt, M.daydream, M.slowBlink, M.lookAside],
    pauses: [0.4, 1.1],
  },
});
