// The six mouth shapes that a viewer can tell apart.
import type { Viseme } from "../../speech/visemes/visemes.ts";

export const MOUTH_GROUPS = ["silence", "bilabial", "labiodental", "narrow", "open", "round"] as const;
export type MouthGroup = (typeof MOUTH_GROUPS)[number];

const GROUP_OF_VISEME: Partial<Record<Viseme, MouthGroup>> = {
  sil: "silence",
  PP: "bilabial",
  FF: "labiodental",
  aa: "open",
  E: "open",
  O: "round",
  U: "round",
};

/** How far each group opens the mouth, 0..1. */
export const OPENNESS: Readonly<Record<MouthGroup, number>> = {
  silence: 0,
  bilabial: 0,
  labiodental: 0.1,
  narrow: 0.3,
  open: 1,
  round: 0.5,
};

/** The group of each viseme; consonants formed behind the teeth are narrow. */
export function groupOf(viseme: Viseme): MouthGroup {
  return GROUP_OF_VISEME[viseme] ?? "narrow";
}
