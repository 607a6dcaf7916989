// Changes the sound of a voice piece by piece. Times stay as they are: each sample comes at its time.
import { toFloatSamples, toInt16Samples } from "../../../signal/audio/samples.ts";
import type { SpokenPiece } from "../voice.ts";
import { PitchShifter } from "./pitch-shifter.ts";
import { ShelfFilter } from "./shelf-filter.ts";
import type { VoiceShape } from "./voice-axes.ts";

/** The pieces with their sound changed; up to 0.1 s of a piece comes with the next one of its sentence. Throws what the
 *  pieces throw. */
export async function* shapePieces(pieces: AsyncIterable<SpokenPiece>, shape: VoiceShape): AsyncGenerator<SpokenPiece> {
  let shaper: Shaper | undefined;
  for await (const piece of pieces) {
    shaper ??= new Shaper(piece.sampleRateHz, shape);
    yield { ...piece, samples: shaper.push(piece.samples, piece.endsSentence) };
  }
}

class Shaper {
  readonly #shifter: PitchShifter | undefined;
  readonly #shelf: ShelfFilter | undefined;

  constructor(sampleRateHz: number, { pitch, formants, highsDb }: VoiceShape) {
    if (pitch !== 1 || formants !== 1) this.#shifter = new PitchShifter(sampleRateHz, { pitch, formants });
    if (highsDb !== 0) this.#shelf = new ShelfFilter(sampleRateHz, highsDb);
  }

  push(samples: Int16Array, isEnd: boolean): Int16Array {
    const parts = [toFloatSamples(samples)];
    if (this.#shifter) {
      parts.splice(0, 1, this.#shifter.push(parts[0]));
      if (isEnd) parts.push(this.#shifter.flush());
    }
    const shaped = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      toInt16Samples(this.#shelf?.push(part) ?? part, shaped.subarray(at));
      at += part.length;
    }
    return shaped;
  }
}
