// Speech at another sample rate, for utterances that two voices speak: a segment has one rate.
import { joinSamples } from "../../signal/audio/join-samples.ts";
import { Resampler } from "../../signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../signal/audio/samples.ts";
import type { SpokenPiece } from "./voice.ts";

/** The pieces at `sampleRateHz`. Each sentence keeps its length. */
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
    const head = toInt16Samples(resampler.push(toFloatSamples(piece.samples)));
    const samples = piece.endsSentence ? joinSamples([head, toInt16Samples(resampler.flush())]) : head;
    yield { ...piece, sampleRateHz, samples };
  }
}
