// The audio of a voice as answers carry it: one rate for all voices, little-endian.
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/signal/audio/samples.ts";
import type { SpokenPiece } from "../../src/speech/voice/voice.ts";

/** One piece of audio. */
export interface SpokenBytes {
  /** Mono, int16, little-endian. */
  bytes: Buffer;
  /** A sentence, however long, ends here. */
  endsSentence: boolean;
}

/** Each piece at `sampleRateHz`, as soon as it is there. Throws what the pieces throw. */
export async function* spokenBytes(
  pieces: AsyncIterable<SpokenPiece>,
  sampleRateHz: number,
): AsyncGenerator<SpokenBytes> {
  let resampler: Resampler | undefined;
  for await (const piece of pieces) {
    if (resampler?.inputRateHz !== piece.sampleRateHz) resampler = new Resampler(piece.sampleRateHz, sampleRateHz);
    const parts = [toLittleEndian(resampler.push(toFloatSamples(piece.samples)))];
    if (piece.endsSentence) parts.push(toLittleEndian(resampler.flush()));
    yield { bytes: Buffer.concat(parts), endsSentence: piece.endsSentence && !piece.goesOn };
  }
}

/** Every platform of Node is little-endian. */
function toLittleEndian(audio: Float32Array): Buffer {
  return Buffer.from(toInt16Samples(audio).buffer);
}
