// What the person of a script says: sentences in the built-in neural voice, made before anything is measured.
import { int16AtRate } from "../../src/signal/audio/at-rate.ts";
import { joinSamples } from "../../src/signal/audio/join-samples.ts";
import { NeuralVoice } from "../../src/speech/voice/neural/neural-voice.ts";
import type { SpokenPiece } from "../../src/speech/voice/voice.ts";
import { PERSON_RATE_HZ } from "./scripted-person.ts";
import { levelOf, SOUND_LEVEL } from "./sound-level.ts";

/** Steps of this length are judged, ms. */
const STEP_MS = 10;

/** Each text as mono int16 at 16 kHz, without silence before and behind it: its end is the end of speech. `voiceId`: of
 *  the catalogue. Throws EngineError if the voice fails. */
export async function speakTexts(texts: readonly string[], voiceId = "F2"): Promise<Int16Array[]> {
  const voice = new NeuralVoice();
  try {
    const spoken: Int16Array[] = [];
    for (const text of texts) spoken.push(await speakText(voice.synthesize(text, { voiceId })));
    return spoken;
  } finally {
    await voice.close();
  }
}

async function speakText(pieces: AsyncIterable<SpokenPiece>): Promise<Int16Array> {
  const parts: SpokenPiece[] = [];
  for await (const piece of pieces) parts.push(piece);
  const rateHz = parts.at(0)?.sampleRateHz ?? PERSON_RATE_HZ;
  const samples = joinSamples(parts.map((part) => part.samples));
  return withoutSilence(int16AtRate(samples, rateHz, PERSON_RATE_HZ), PERSON_RATE_HZ).samples;
}

/** The samples without silence before and behind them, and how long the silence before them was. */
export function withoutSilence(samples: Int16Array, rateHz: number): { samples: Int16Array; leadMs: number } {
  const step = (rateHz * STEP_MS) / 1000;
  const steps = Math.ceil(samples.length / step);
  const isSound = (index: number) => levelOf(samples.subarray(index * step, (index + 1) * step)) > SOUND_LEVEL;
  let first = 0;
  while (first < steps && !isSound(first)) first += 1;
  let last = steps;
  while (last > first && !isSound(last - 1)) last -= 1;
  return { samples: samples.slice(first * step, last * step), leadMs: first * STEP_MS };
}
