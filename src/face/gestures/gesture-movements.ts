// The movements that gestures are made of. Times in seconds; a parameter that is not named keeps still.
import { movement } from "./movement.ts";

/** Down twice, the second time with less depth. */
export const nods = movement(1.3, {
  pitch: "0.18 -0.14, 0.44 0.82, 0.7 -0.06, 0.94 0.48",
  ty: "0.44 0.22, 0.7 0, 0.94 0.12",
  brow: "0.14 0.14, 0.5 0.02",
});

/** Once, slowly, with the eyes shut: agreement after some thought. */
export const slowNod = movement(1.5, {
  pitch: "0.2 -0.1, 0.7 0.66, 0.95 0.58",
  ty: "0.75 0.16",
  lids: "0.35 0, 0.6 1, 0.85 1, 1.1 0",
});

export const smallNod = movement(0.9, { pitch: "0.14 -0.06, 0.4 0.4, 0.62 0.02", ty: "0.4 0.1" });

/** Nods as in speech: small, uneven, with a tilt. */
export const talkNods = movement(1.6, {
  pitch: "0.3 0.36, 0.56 -0.04, 0.82 0.26, 1.1 0.02",
  roll: "0.5 0.16, 1.1 0.1",
  brow: "0.22 0.2, 0.7 0.04",
});

export const talkTilt = movement(1.5, { roll: "0.45 0.32, 0.95 0.26", yaw: "0.55 0.16", pitch: "0.35 0.14, 0.8 0.02" });

export const talkAccent = movement(0.8, { brow: "0.2 0.34", pitch: "0.14 -0.12, 0.36 0.24" });

export const shakes = movement(1.5, { yaw: "0.24 0.62, 0.56 -0.7, 0.88 0.5, 1.16 -0.26", brow: "0.3 -0.14, 1 -0.1" });

export const slowShake = movement(1.6, { yaw: "0.35 0.44, 0.85 -0.42, 1.2 0.14", pitch: "0.8 0.14" });

/** Lips pressed, head a little down: sorry, no. */
export const regret = movement(1.4, {
  rollU: "0.4 0.3, 0.9 0.3",
  rollL: "0.4 0.36, 0.9 0.36",
  roll: "0.6 0.24",
  pitch: "0.6 0.18",
  brow: "0.5 0.24",
});

/** The right eye shuts for a sixth of a second, and the face goes along with it. */
export const wink = movement(1.2, {
  blinkR: "0.12 0.2, 0.22 1, 0.4 1, 0.56 0.06",
  blinkL: "0.2 0.16, 0.42 0.14, 0.56 0",
  smile: "0.3 0.3, 0.6 0.24",
  roll: "0.3 0.36, 0.6 0.26",
  brow: "0.26 -0.12",
  pitch: "0.3 0.16",
});

export const startle = movement(1.5, {
  brow: "0.22 0.6, 0.8 0.44",
  jaw: "0.26 0.3, 0.8 0.2",
  funnel: "0.26 0.2, 0.8 0.14",
  pitch: "0.24 -0.34, 0.9 -0.2",
  ty: "0.22 -0.24, 0.9 -0.1",
});

export const lookCloser = movement(1.7, {
  pitch: "0.5 0.24, 1.1 0.2",
  ty: "0.6 0.16",
  roll: "0.5 0.24, 1.1 0.2",
  brow: "0.4 0.24, 1.1 0.18",
  jaw: "0.7 0.08",
});

/** Two quick blinks: is that true? */
export const doubleBlink = movement(0.8, { lids: "0.12 1, 0.28 0.05, 0.4 1, 0.58 0.08" });

export const disbelief = movement(1.4, { yaw: "0.3 0.26, 0.66 -0.26, 1 0.14", jaw: "0.6 0.12", brow: "0.5 0.22" });

export const browFlash = movement(0.8, { brow: "0.18 0.5, 0.34 0.46", pitch: "0.22 -0.14" });

/** The eyes settle somewhere else, as they do in thought; the head follows a little. */
export const ponder = movement(1.7, {
  gazeX: "0.16 0.2, 0.9 0.2, 1 -0.06",
  gazeY: "0.16 -0.16, 0.9 -0.16, 1 0.1",
  pucker: "0.5 0.16, 1.1 0.14",
  yaw: "0.7 0.12",
});

export const lookAcross = movement(2.2, {
  gazeX: "0.12 -1.3, 1.9 -1.3, 2.04 0",
  yaw: "0.6 -0.5, 1.5 -0.5",
  roll: "0.7 -0.6, 1.5 -0.56",
});

export const pressLips = movement(1.3, {
  rollU: "0.35 0.28, 0.85 0.28",
  rollL: "0.35 0.34, 0.85 0.34",
  brow: "0.5 -0.12",
});

/** The head goes from side to side: on the one hand, on the other. */
export const weigh = movement(1.9, { roll: "0.4 0.26, 0.95 -0.3, 1.45 0.14", brow: "0.6 0.2" });

export const straighten = movement(2, { roll: "0.6 -0.34, 1.4 -0.3", pitch: "0.9 0.1" });

/** Bursts: the head goes back, then comes forward with each, while the breath runs out. */
export const laughter = movement(2, {
  pitch: "0.28 -0.52, 0.5 -0.16, 0.7 -0.36, 0.92 0.1, 1.12 -0.14, 1.36 0.16",
  jaw: "0.26 0.46, 0.46 0.26, 0.68 0.5, 0.88 0.26, 1.1 0.42, 1.32 0.18",
  ty: "0.26 -0.18, 0.48 0.2, 0.7 -0.06, 0.92 0.26, 1.12 0, 1.34 0.2",
  upraise: "0.3 0.16, 1.3 0.12",
  brow: "0.26 0.26, 0.9 0.06",
  roll: "0.7 0.2, 1.3 -0.12",
  lids: "0.5 0.22, 1.2 0.2",
});

export const chuckle = movement(1.4, {
  jaw: "0.2 0.3, 0.4 0.16, 0.6 0.28, 0.8 0.14, 1 0.18",
  pitch: "0.2 -0.2, 0.42 0.06, 0.62 -0.1, 0.84 0.12",
  ty: "0.2 -0.1, 0.4 0.18, 0.6 0, 0.8 0.16",
  smile: "0.3 0.2, 0.9 0.16",
  lids: "0.4 0.12, 0.9 0.1",
});

/** Breathes in after laughing: chin up, brows up. */
export const breather = movement(1.2, {
  pitch: "0.5 -0.24",
  ty: "0.4 -0.2, 0.9 0.04",
  brow: "0.4 0.34",
  jaw: "0.4 0.2",
  smile: "0.5 -0.16",
});

/** Looks down while it laughs on. */
export const headDown = movement(1.4, {
  pitch: "0.45 0.46, 0.8 0.4",
  roll: "0.6 0.22",
  gazeY: "0.2 0.4, 0.9 0.4, 1.05 0",
  lids: "0.3 0.3, 0.9 0.3",
});

/** Lips come forward, the head with them; then it draws back with a smile. */
export const kiss = movement(2, {
  pucker: "0.3 0.5, 0.55 0.95, 0.85 0.95, 1.08 0.1",
  funnel: "0.4 0, 0.85 0.1, 1 0.36, 1.2 0",
  jaw: "0.85 0, 1 0.1, 1.2 0",
  smile: "0.25 0.06, 0.6 -0.12, 1.3 0.26",
  pitch: "0.3 -0.12, 0.72 0.3, 1.15 -0.3",
  roll: "0.6 0.34, 1.2 0.22",
  lids: "0.4 0.1, 0.6 1, 0.86 1, 1.05 0",
  brow: "0.6 -0.06, 1.12 0.24",
});

export const warmSmile = movement(1.6, {
  smile: "0.5 0.22, 1 0.2",
  roll: "0.6 0.26, 1 0.22",
  lids: "0.5 0.14, 1.1 0.12",
});

export const softSmile = movement(2, { smile: "0.6 0.22, 1.3 0.2", lids: "0.7 0.1, 1.3 0.08" });

export const slowBlink = movement(1, { lids: "0.28 0.8, 0.36 1, 0.5 1, 0.78 0.1" });

export const softTilt = movement(1.9, { roll: "0.6 0.3, 1.2 0.26", yaw: "0.8 0.12", tx: "0.9 0.14" });

/** Brows up, head tilted, then a nod: hello. */
export const greeting = movement(1.9, {
  roll: "0.4 0.56, 1 0.46",
  brow: "0.26 0.6, 0.7 0.24",
  pitch: "0.28 -0.26, 0.72 0.4, 1.1 0.02",
  smile: "0.4 0.2, 1.2 0.16",
  ty: "0.28 -0.14, 0.72 0.12",
});

/** From side to side, as a hand would wave. */
export const swayHello = movement(1.8, {
  roll: "0.3 0.46, 0.75 -0.46, 1.15 0.34, 1.45 -0.12",
  tx: "0.3 0.2, 0.75 -0.2, 1.15 0.14",
  brow: "0.4 0.2",
});

export const welcomeNod = movement(1.1, {
  pitch: "0.18 -0.16, 0.5 0.5, 0.75 0.04",
  smile: "0.5 0.14",
  lids: "0.3 0.1, 0.48 0.9, 0.56 0.9, 0.74 0.04",
});

/** One firm nod with raised brows and pressed lips, and a smaller one. */
export const approval = movement(1.5, {
  pitch: "0.16 -0.3, 0.42 0.7, 0.66 0.06, 0.9 0.36",
  ty: "0.16 -0.14, 0.42 0.2",
  brow: "0.2 0.42, 0.6 0.2",
  rollL: "0.4 0.26, 0.8 0.2",
  smile: "0.4 0.16, 1 0.14",
});

/** Bounces in a rhythm of three with an open smile. */
export const cheer = movement(1.7, {
  ty: "0.2 -0.46, 0.42 0.3, 0.64 -0.4, 0.86 0.28, 1.08 -0.3, 1.3 0.16",
  pitch: "0.2 -0.28, 0.42 0.3, 0.64 -0.2, 0.86 0.28, 1.08 -0.14, 1.3 0.16",
  jaw: "0.2 0.3, 1 0.22",
  smile: "0.3 0.18, 1.1 0.16",
  brow: "0.2 0.36, 1 0.16",
  roll: "0.42 0.14, 0.86 -0.14, 1.3 0.08",
});

export const happyNods = movement(1.4, {
  pitch: "0.26 0.44, 0.5 -0.04, 0.74 0.4, 1 0",
  roll: "0.5 0.22, 1 0.16",
  lids: "0.3 0.16, 0.9 0.14",
});

/** Down to gather force, up, and a soft landing; a second, smaller leap follows. */
export const leaps = movement(1.9, {
  ty: "0.18 0.34, 0.46 -1, 0.78 0.4, 1.04 -0.56, 1.32 0.26",
  pitch: "0.18 0.22, 0.46 -0.44, 0.8 0.28, 1.06 -0.26, 1.34 0.12",
  jaw: "0.18 0.04, 0.42 0.36, 0.9 0.24, 1.3 0.14",
  smile: "0.4 0.2, 1.3 0.16",
  brow: "0.4 0.44, 1.2 0.2",
  roll: "0.78 0.12, 1.32 -0.1",
});

export const affection = movement(2.2, {
  roll: "0.6 0.34, 1.5 0.3",
  smile: "0.6 0.18, 1.5 0.16",
  brow: "0.5 0.26, 1.4 0.14",
  pitch: "0.8 0.14",
  lids: "0.7 0.1, 0.95 1, 1.15 1, 1.45 0.08",
});

/** Weight goes from one foot to the other. */
export const shiftWeight = movement(2.6, {
  tx: "0.8 0.22, 1.7 0.18",
  roll: "0.9 0.16, 1.7 0.12",
  yaw: "1 0.12",
  ty: "0.5 0.06, 1.2 0",
});

export const lookAside = movement(2, { gazeX: "0.1 0.5, 1.5 0.5, 1.62 0", yaw: "0.6 0.24, 1.3 0.2" });

export const leanIn = movement(2.4, {
  ty: "0.8 0.2, 1.6 0.18",
  pitch: "0.8 0.16, 1.6 0.14",
  brow: "0.6 0.2, 1.4 0.1",
  roll: "1.2 0.16",
});

/** The gaze goes down to the side, the head after it, and both come back. */
export const daydream = movement(3, {
  gazeX: "0.14 0.5, 2.3 0.5, 2.44 0",
  gazeY: "0.14 0.4, 2.3 0.4, 2.44 0",
  yaw: "0.8 0.26, 2 0.24",
  pitch: "0.9 0.16, 2 0.14",
  roll: "1.3 0.16",
  lids: "0.3 0.18, 2.2 0.18, 2.44 0",
});
