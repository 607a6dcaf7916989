// The gestures that every avatar can make. A new one is a row here, a plan and the movements that the plan needs.

interface Gesture {
  /** What a viewer sees: an avatar has a head and no hands. */
  sight: string;
  /** Beginnings of words that stand for it. Of two gestures with the same word the earlier is meant. */
  words: string;
}

/** Most names are the contract's. Where a name means hands, the head makes a gesture of the same meaning. */
export const GESTURES = Object.freeze({
  mini_wave_hello: {
    sight: "A greeting of the head: it tilts, the brows rise, it smiles and nods. No hand waves.",
    words: "wave waving hello hi hey greet welcome bye goodbye hola hallo bonjour ciao salut",
  },
  talk_head_nod_subtle: {
    sight: "Small nods and tilts, as people make while they speak.",
    words: "talk speak chat explain",
  },
  blow_kiss_heart: {
    sight: "A kiss with the lips and a smile. No hand blows it.",
    words: "kiss kisses smooch beso kuss baiser bacio beijo",
  },
  laugh_react: {
    sight: "A short laugh, as at something that was said.",
    words: "chuckle giggle smirk react funny joke haha lol",
  },
  idle_subtle: {
    sight: "Rest with small shifts of head and eyes.",
    words: "idle rest still calm neutral breath wait stand relax",
  },
  clap_cheer: {
    sight: "Cheering with bounces of the head and an open smile. No hands clap.",
    words: "clap applau cheer hooray hurra bravo",
  },
  heart_hands: {
    sight: "Affection: a tilted head, a soft smile, a slow blink. No hands make a heart.",
    words: "heart love affection hug adore corazon herz coeur cuore smile happy warm grin friendly",
  },
  thumbs_up_pulse: {
    sight: "Approval: firm nods with raised brows and a smile. No thumb is shown.",
    words: "thumb approv like great perfect",
  },
  celebration_jump: {
    sight: "The head leaps up with an open smile, twice or more.",
    words: "jump leap hop celebrat party victor dance danc festej jubel",
  },
  nod: {
    sight: "Nods.",
    words: "nod yes agree accept confirm approve ok okay sure bow",
  },
  shake: {
    sight: "Shakes of the head.",
    words: "shak no deny disagree refus refuse reject",
  },
  wink: {
    sight: "A wink with a smile.",
    words: "wink winks winking guin zwinker clin occhiolino",
  },
  surprise: {
    sight: "Raised brows, wide eyes, parted lips.",
    words: "surpris shock amaz astonish wow gasp startl",
  },
  thinking: {
    sight: "Eyes away, head tilted, lips pressed now and then.",
    words: "think thought ponder wonder consider hmm puzzl confus",
  },
  listening: {
    sight: "A tilted head, attentive eyes, small nods.",
    words: "listen hear attent",
  },
  laugh: {
    sight: "A hearty laugh with the head thrown back.",
    words: "laugh lach rire ridere risa",
  },
  idle_attentive: {
    sight: "Rest, leaning in, with the eyes on the viewer.",
    words: "attentive lean focus curious",
  },
  idle_thoughtful: {
    sight: "Rest with a gaze that wanders off and comes back.",
    words: "daydream dream bored sad",
  },
} satisfies Record<string, Gesture>);

export type GestureName = keyof typeof GESTURES;

export const GESTURE_NAMES = Object.freeze(Object.keys(GESTURES) as GestureName[]);

/** Whether a gesture has this very name. */
export function isGestureName(name: string): name is GestureName {
  return Object.hasOwn(GESTURES, name);
}
