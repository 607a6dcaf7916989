// Mouth shapes of a sentence of the neural voice.
//
// Its times are those of sounds. Lips move before them: on 27 to 30 P, B and M of twenty sentences they were shut 41 ms
// before the sound's time began and open 27 ms before it ended (medians), found by where the band from 700 to 3,500 Hz
// falls away.
import { visemesOfIpa } from "../../visemes/ipa-visemes.ts";
import type { TimedViseme } from "../../visemes/timed-viseme.ts";
import type { Viseme } from "../../visemes/visemes.ts";
import { splitVisemes } from "../split-visemes.ts";
import type { SoundTime } from "./sound-time.ts";

const LIPS_SHUT = /^[pbm]/u;

/** How much earlier than the times of a P, B or M lips move, ms. */
export interface LipTimes {
  shutEarlyMs: number;
  openEarlyMs: number;
}

const DEFAULT_LIPS: LipTimes = { shutEarlyMs: 40, openEarlyMs: 25 };
/** A shorter pause does not bring the mouth to rest. */
const LEAST_REST_MS = 120;
/** Misaki's letters that are not IPA. */
const IPA_OF_LETTER: Readonly<Record<string, string>> = {
  A: "eɪ",
  I: "aɪ",
  O: "oʊ",
  Q: "əʊ",
  W: "aʊ",
  Y: "ɔɪ",
  T: "ɾ",
  ʤ: "dʒ",
  ʧ: "tʃ",
  ʣ: "dz",
  ʦ: "ts",
  ᵊ: "ə",
};

/** Mouth shapes from the first sound to `endMs`, without gaps, in order of time; the mouth rests behind the last sound.
 *  Empty without sounds. Never throws. */
export function neuralVisemes(
  sounds: readonly SoundTime[],
  endMs: number,
  { shutEarlyMs, openEarlyMs }: LipTimes = DEFAULT_LIPS,
): TimedViseme[] {
  const shapes = sounds
    .map((sound) => ({ ...sound, visemes: visemesOf(sound), isShut: LIPS_SHUT.test(withoutStress(sound.text)) }))
    // Sounds without a shape of their own extend the one before.
    .filter(({ visemes }) => visemes.length > 0);
  if (shapes.length === 0) return [];
  const visemes: TimedViseme[] = [];
  let lastMs = 0;
  const add = (shown: readonly Viseme[], untilMs: number): void => {
    const toMs = Math.max(lastMs, untilMs);
    visemes.push(...splitVisemes(shown, lastMs, toMs));
    lastMs = toMs;
  };
  for (const [index, { visemes: shown, isShut, startMs, endMs: soundEndMs }] of shapes.entries()) {
    if (index === 0) lastMs = Math.max(0, startMs - (isShut ? shutEarlyMs : 0));
    const next = shapes[index + 1];
    const nextMs = next?.startMs ?? soundEndMs;
    add(shown, nextMs - (next?.isShut ? shutEarlyMs : isShut ? openEarlyMs : 0));
  }
  add(["sil"], endMs);
  return visemes;
}

function visemesOf({ text, word, startMs, endMs }: SoundTime): Viseme[] {
  if (word < 0) return endMs - startMs >= LEAST_REST_MS ? ["sil"] : [];
  const letters = [...withoutStress(text)];
  return visemesOfIpa(letters.map((letter) => IPA_OF_LETTER[letter] ?? letter).join(""));
}

function withoutStress(symbol: string): string {
  return symbol.replace(/[ˈˌ]/gu, "");
}
