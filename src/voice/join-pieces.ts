// Joins the pieces of a voice, for callers that need whole sentences.
import type { SentenceTimes, SpokenPiece, SpokenSentence } from "./voice.ts";

/** The sentences of the pieces, each when its last piece is there. Throws what the voice throws. */
export async function* joinPieces(pieces: AsyncIterable<SpokenPiece>): AsyncGenerator<SpokenSentence> {
  let sentence: SentenceTimes | undefined;
  let parts: Int16Array[] = [];
  for await (const piece of pieces) {
    sentence ??= piece.sentence;
    parts.push(piece.samples);
    if (!piece.endsSentence || !sentence) continue;
    yield { ...sentence, sampleRateHz: piece.sampleRateHz, samples: joinSamples(parts) };
    sentence = undefined;
    parts = [];
  }
}

/** The parts one after the other. */
export function joinSamples(parts: readonly Int16Array[]): Int16Array {
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    samples.set(part, offset);
    offset += part.length;
  }
  return samples;
}
