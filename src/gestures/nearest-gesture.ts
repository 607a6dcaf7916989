// Which gesture is meant by a name that no gesture has, such as "wave_hand" or "please laugh at my joke". It is looked
// up in a table of words; a text without any of them has no gesture.
import { GESTURE_NAMES, type GestureName, isGestureName } from "./gesture-names.ts";

/** Beginnings of words that stand for a gesture; those before mean more than those after. */
const WORDS: readonly (readonly [GestureName, string])[] = [
  ["blow_kiss_heart", "kiss kisses smooch beso kuss baiser bacio beijo"],
  ["wink", "wink winks winking guin zwinker clin occhiolino"],
  ["clap_cheer", "clap applau cheer hooray hurra bravo"],
  ["celebration_jump", "jump leap hop celebrat party victor dance danc festej jubel"],
  ["thumbs_up_pulse", "thumb approv like great perfect"],
  ["heart_hands", "heart love affection hug adore corazon herz coeur cuore"],
  ["laugh_react", "chuckle giggle smirk react funny joke haha lol"],
  ["laugh", "laugh lach rire ridere risa"],
  ["mini_wave_hello", "wave waving hello hi hey greet welcome bye goodbye hola hallo bonjour ciao salut"],
  ["shake", "shak no deny disagree refus refuse reject"],
  ["surprise", "surpris shock amaz astonish wow gasp startl"],
  ["thinking", "think thought ponder wonder consider hmm puzzl confus"],
  ["listening", "listen hear attent"],
  ["talk_head_nod_subtle", "talk speak chat explain"],
  ["nod", "nod yes agree accept confirm approve ok okay sure bow"],
  ["idle_thoughtful", "daydream dream bored sad"],
  ["idle_attentive", "attentive lean focus curious"],
  ["idle_subtle", "idle rest still calm neutral breath wait stand relax"],
  ["heart_hands", "smile happy warm grin friendly"],
];
/** Words of up to this length must be equal: "no" is not the beginning of "note". */
const WHOLE_LENGTH = 3;
/** More is not read. */
const MAX_CHARACTERS = 200;

/** The gesture that a name or a few words stand for; null if no word is known. Of several, the first word in the text
 *  decides. Never throws. */
export function nearestGesture(text: string): GestureName | null {
  const wanted = text.slice(0, MAX_CHARACTERS).trim().toLowerCase();
  const asName = wanted.replaceAll(/[\s-]+/g, "_");
  if (isGestureName(asName)) return asName;
  const part = GESTURE_NAMES.find((name) => asName.includes(name) && name.includes("_"));
  if (part) return part;
  for (const word of plainWords(wanted)) {
    const entry = WORDS.find(([, known]) => known.split(" ").some((stem) => isWord(word, stem)));
    if (entry) return entry[0];
  }
  return null;
}

/** Letters only, without accents. */
function plainWords(text: string): string[] {
  return (
    text
      .normalize("NFD")
      .replaceAll(/\p{M}/gu, "")
      .match(/\p{L}+/gu) ?? []
  );
}

function isWord(word: string, stem: string): boolean {
  return stem.length <= WHOLE_LENGTH ? word === stem || word === `${stem}s` : word.startsWith(stem);
}
