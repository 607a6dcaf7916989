// Speech at another sample rate, for utterances that two voices speak: a segment has one rate.

import { joinSamples } from "../audio/join-samples.ts";
import { Resampler } from "../audio/resampler.ts";
import type { SpokenPiece } from "./voice.ts";

/** The pieces at `sampleRateHz`, each as long as it was within 1 ms; a sentence as a whole exactly so. */
export async function* piecesAtRate(
  pieces: AsyncIterable<SpokenPiece>,
  sampleRateHz: number,
): AsyncGenerator<SpokenPiece> {
  let resampler: Resampler | undefined;
  for await (const piece of pieces) {
    if (piece.sampleRateHz === sampleRateHz) {
      yield piece;
      continue;
    }
    if (resampler?.inputRateHz !== piece.sampleRateHz) resampler = new Resampler(piece.sampleRateHz, sampleRateHz);
    const head = toInt16(resampler.push(Float32Array.from(piece.samples)));
    const samples = piece.endsSentence ? joinSamples([head, toInt16(resampler.flush())]) : head;
    yield { ...piece, sampleRateHz, samples };
  }
}

function toInt16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample))));
}
