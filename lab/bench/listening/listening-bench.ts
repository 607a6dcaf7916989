// How well a face that listens fits its reactions to a voice: to what it hears, to a timer, and at random times.

import { PhraseDetector } from "../../../src/speech/phrases/phrase-detector.ts";
import {
  addScores,
  atRandomTimes,
  judgeReactions,
  type ReactionScore,
  reactionsTo,
} from "../../../test/helpers/speech/judge-reactions.ts";
import {
  SENTENCES,
  type SpeakPhrases,
  type SpokenPhrases,
  throughTelephone,
  withNoise,
  withPhrases,
} from "../../../test/helpers/speech/spoken-phrases.ts";

const VOICES = ["M1", "M4", "F1", "F4"];
/** Random times are drawn this often, because chance differs. */
const DRAWS = 20;
const BLOCK_SAMPLES = 320;

export interface ListeningRow {
  /** What happened to the speech on its way. */
  input: string;
  /** How the face chose its reactions. */
  face: "hears" | "timer" | "random";
  score: ReactionScore;
}

export interface ListeningMetrics {
  seconds: number;
  languages: readonly string[];
  rows: readonly ListeningRow[];
  /** Each sentence by itself: no reaction before it takes its time. */
  alone: ReactionScore;
  /** CPU time of the detector for a second of audio, and the longest that one block of 20 ms took, ms. */
  cpuMsPerS: number;
  longestMs: number;
}

const INPUTS: readonly [string, (samples: Int16Array) => Int16Array][] = [
  ["as spoken", (samples) => samples],
  ["18 dB softer", (samples) => samples.map((sample) => Math.round(sample / 8))],
  ["noise at -20 dB", (samples) => withNoise(samples, 20)],
  ["noise at -10 dB", (samples) => withNoise(samples, 10)],
  ["G.711", throughTelephone],
];

export function benchListening(): Promise<ListeningMetrics> {
  return withPhrases(measureListening);
}

async function measureListening(speakPhrases: SpeakPhrases): Promise<ListeningMetrics> {
  const spoken: SpokenPhrases[] = [];
  const single: SpokenPhrases[] = [];
  for (const [index, [language, sentences]] of Object.entries(SENTENCES).entries()) {
    for (const voiceId of VOICES) spoken.push(await speakPhrases(sentences, { voiceId, language, seed: index + 1 }));
    for (const voiceId of VOICES)
      for (const sentence of sentences) single.push(await speakPhrases([sentence], { voiceId, language }));
  }
  const rows = INPUTS.flatMap(([input, change]) => {
    const heard = spoken.map((one) => ({ ...one, samples: change(one.samples) }));
    const of = (face: ListeningRow["face"], scores: ReactionScore[]) => ({ input, face, score: addScores(scores) });
    const reactions = heard.map((one, seed) => reactionsTo(one, seed));
    return [
      of(
        "hears",
        heard.map((one, index) => judgeReactions(reactions[index], one)),
      ),
      of(
        "timer",
        heard.map((one, seed) => judgeReactions(reactionsTo(one, seed, true), one)),
      ),
      of(
        "random",
        heard.flatMap((one, index) =>
          Array.from({ length: DRAWS }, (_, draw) =>
            judgeReactions(atRandomTimes(reactions[index], one, index * DRAWS + draw), one),
          ),
        ),
      ),
    ];
  });
  return {
    seconds: spoken.reduce((sum, { samples }) => sum + samples.length / 16_000, 0),
    languages: Object.keys(SENTENCES),
    rows,
    alone: addScores(single.map((one, seed) => judgeReactions(reactionsTo(one, seed), one))),
    ...costOf(spoken),
  };
}

function costOf(spoken: readonly SpokenPhrases[]): { cpuMsPerS: number; longestMs: number } {
  const before = process.cpuUsage();
  let longestMs = 0;
  let seconds = 0;
  for (const { samples } of spoken) {
    const detector = new PhraseDetector();
    for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
      const startMs = performance.now();
      detector.push(samples.subarray(at, at + BLOCK_SAMPLES));
      longestMs = Math.max(longestMs, performance.now() - startMs);
    }
    seconds += samples.length / 16_000;
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuMsPerS: (user + system) / 1000 / seconds, longestMs };
}
