// When the phonemes and words of a sentence are heard, from the durations that the network tells.
import type { SentenceTimes } from "../voice.ts";
import { FRAME_MS } from "./network-graphs.ts";
import { type LipTimes, neuralVisemes } from "./neural-visemes.ts";
import type { PhonemeSentence } from "./phoneme-sentence.ts";
import type { TokenGroup } from "./sentence-tokens.ts";
import type { SoundTime } from "./sound-time.ts";

/** The network is heard earlier than its durations say. Measured on 33 sibilants of three voices: by 48 to 52 ms, at
 *  speeds from 0.8 to 1.3 by 40 to 52 ms. */
const HEARD_EARLY_MS = 50;
/** How long the last sound of a sentence is heard at speed 1: its duration includes the breath behind it, 0.2 to 0.4 s.
 *  Measured on 25 sentences of two voices, where the sound falls under −44 dB: vowels 202 to 243 ms, hissing sounds 101
 *  to 139 ms, others 21 to 119 ms. */
const LAST_SOUND_MS: readonly (readonly [RegExp, number])[] = [
  [/[AIOQWYaeiouæɑɐɒɔəɚɛɜɪʊʌᵊᵻ]/u, 230],
  [/[szfvθðʃʒʧʤ]/u, 125],
];
const OTHER_LAST_SOUND_MS = 90;

/** Sounds and marks in order of time, in ms from the begin of the network's audio; the last one is a sound. A space
 *  belongs to the sound before it. `durations`: frames of each token. `speed`: with which they were made. Empty for a
 *  sentence without sounds. */
export function soundTimes(groups: readonly TokenGroup[], durations: ArrayLike<number>, speed: number): SoundTime[] {
  const times = symbolTimes(groups, durations, { frameMs: FRAME_MS, earlyMs: HEARD_EARLY_MS });
  const last = times.findLast(({ word }) => word >= 0);
  if (!last) return [];
  const heardMs = (LAST_SOUND_MS.find(([sounds]) => sounds.test(last.text))?.[1] ?? OTHER_LAST_SOUND_MS) / speed;
  last.endMs = Math.min(last.endMs, last.startMs + heardMs);
  // A mark behind the last word is silence, which is not made by the network.
  return times.slice(0, times.indexOf(last) + 1);
}

/** Sounds and marks in order of time, as long as their tokens say. A space belongs to the sound before it. `durations`:
 *  frames of each token. `earlyMs`: how much earlier than that they are heard. */
export function symbolTimes(
  groups: readonly TokenGroup[],
  durations: ArrayLike<number>,
  { frameMs, earlyMs }: { frameMs: number; earlyMs: number },
): SoundTime[] {
  const times: SoundTime[] = [];
  let token = 0;
  let frame = 0;
  for (const { symbol, word, tokenCount } of groups) {
    const startMs = frame * frameMs - earlyMs;
    for (let i = 0; i < tokenCount; i++) frame += durations[token++];
    const endMs = frame * frameMs - earlyMs;
    if (symbol === " ") {
      const before = times.at(-1);
      if (before) before.endMs = endMs;
    } else if (symbol !== "") times.push({ text: symbol, word, startMs, endMs });
  }
  return times;
}

/** What is heard in a sentence, and when. `sounds`: in ms from its begin. `endMs`: end of the pause behind it. */
export function sentenceTimes(
  { text, words }: PhonemeSentence,
  sounds: readonly SoundTime[],
  endMs: number,
  lips?: LipTimes,
): SentenceTimes {
  const timed = wordTimes(sounds);
  return {
    text,
    phonemes: sounds.filter(({ word }) => word >= 0).map(({ text, startMs, endMs }) => ({ text, startMs, endMs })),
    words: words.flatMap(({ text, fromCharacter, toCharacter }, index) => {
      const time = timed.get(index);
      return time ? [{ text, fromCharacter, toCharacter, ...time }] : [];
    }),
    visemes: neuralVisemes(sounds, endMs, lips),
  };
}

/** Begin and end of each word that has sounds, by its index. */
export function wordTimes(sounds: readonly SoundTime[]): Map<number, { startMs: number; endMs: number }> {
  const times = new Map<number, { startMs: number; endMs: number }>();
  for (const { word, startMs, endMs } of sounds) {
    if (word < 0) continue;
    times.set(word, { startMs: times.get(word)?.startMs ?? startMs, endMs });
  }
  return times;
}
