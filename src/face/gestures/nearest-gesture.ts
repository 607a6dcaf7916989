// Which gesture is meant by a name that no gesture has, such as "wave_hand" or "please laugh at my joke". It is looked
// up in the gestures' words; a text without any of them has no gesture.
import { GESTURE_NAMES, GESTURES, type GestureName, isGestureName } from "../../../shared/gesture-names.ts";

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
    const meant = GESTURE_NAMES.find((name) => GESTURES[name].words.split(" ").some((stem) => isWord(word, stem)));
    if (meant) return meant;
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
