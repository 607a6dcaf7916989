// Joins the pieces of a voice, for callers that need whole sentences.
import { joinSamples } from "../../signal/audio/join-samples.ts";
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
