// Mouth shapes of phones as aligners name them (ARPABET), for scoring against recordings.
import type { TimedViseme } from "../../../src/speech/visemes/timed-viseme.ts";
import type { Viseme } from "../../../src/speech/visemes/visemes.ts";

const PHONES: Partial<Record<Viseme, string>> = {
  sil: "SIL <sil> (NULL) +NSN+ +SPN+ SP",
  PP: "P B M",
  FF: "F V",
  TH: "TH DH",
  DD: "T D DX",
  // H takes the shape of its neighbours; among the visible groups it counts as narrow.
  kk: "K G HH",
  CH: "CH JH SH ZH",
  SS: "S Z",
  nn: "N NG L",
  RR: "R ER",
  aa: "AA AE AH",
  E: "EH",
  I: "IH IY Y",
  O: "AO",
  U: "UH UW W",
};
const DIPHTHONGS: Readonly<Record<string, [Viseme, Viseme]>> = {
  AY: ["aa", "I"],
  AW: ["aa", "U"],
  OY: ["O", "I"],
  EY: ["E", "I"],
  OW: ["O", "U"],
};
/** Share of a diphthong's time that belongs to its first part. */
const FIRST_PART = 0.6;

const VISEME_OF_PHONE = new Map(
  Object.entries(PHONES).flatMap(([viseme, phones]) => phones.split(" ").map((phone) => [phone, viseme as Viseme])),
);

/** One phone, with or without a stress digit; null if there is none of that name. Times in ms. */
export function visemesOfPhone(name: string, startMs: number, endMs: number): TimedViseme[] | null {
  const phone = name.replace(/[012]$/, "");
  const viseme = VISEME_OF_PHONE.get(phone);
  if (viseme) return [{ viseme, startMs, endMs }];
  const parts = DIPHTHONGS[phone];
  if (!parts) return null;
  const middleMs = startMs + (endMs - startMs) * FIRST_PART;
  return [
    { viseme: parts[0], startMs, endMs: middleMs },
    { viseme: parts[1], startMs: middleMs, endMs },
  ];
}
