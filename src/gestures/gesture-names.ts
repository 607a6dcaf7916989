// The gestures that every avatar can make, with what a viewer sees: an avatar has a head and no hands.

/** Most names are the contract's. Where a name means hands, the head makes a gesture of the same meaning. */
export const GESTURE_SIGHTS = Object.freeze({
  mini_wave_hello: "A greeting of the head: it tilts, the brows rise, it smiles and nods. No hand waves.",
  talk_head_nod_subtle: "Small nods and tilts, as people make while they speak.",
  blow_kiss_heart: "A kiss with the lips and a smile. No hand blows it.",
  laugh_react: "A short laugh, as at something that was said.",
  idle_subtle: "Rest with small shifts of head and eyes.",
  clap_cheer: "Cheering with bounces of the head and an open smile. No hands clap.",
  heart_hands: "Affection: a tilted head, a soft smile, a slow blink. No hands make a heart.",
  thumbs_up_pulse: "Approval: firm nods with raised brows and a smile. No thumb is shown.",
  celebration_jump: "The head leaps up with an open smile, twice or more.",
  nod: "Nods.",
  shake: "Shakes of the head.",
  wink: "A wink with a smile.",
  surprise: "Raised brows, wide eyes, parted lips.",
  thinking: "Eyes away, head tilted, lips pressed now and then.",
  listening: "A tilted head, attentive eyes, small nods.",
  laugh: "A hearty laugh with the head thrown back.",
  idle_attentive: "Rest, leaning in, with the eyes on the viewer.",
  idle_thoughtful: "Rest with a gaze that wanders off and comes back.",
} as const);

export type GestureName = keyof typeof GESTURE_SIGHTS;

export const GESTURE_NAMES = Object.freeze(Object.keys(GESTURE_SIGHTS) as GestureName[]);

/** Whether a gesture has this very name. */
export function isGestureName(name: string): name is GestureName {
  return Object.hasOwn(GESTURE_SIGHTS, name);
}
