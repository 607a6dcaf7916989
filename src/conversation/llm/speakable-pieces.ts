// An answer as it arrives, in pieces that a voice can speak.
import { PieceCutter } from "./piece-cutter.ts";

/** Pieces of an answer, each as soon as it is complete: the first clause, then sentences. Joined, they are the answer,
 *  except for spaces at its end. `language`: a BCP 47 tag. Returns what `text` returns, and
 *  throws what it throws; words that are no piece by then are dropped. */
export async function* speakablePieces<T>(
  text: AsyncGenerator<string, T>,
  language?: string,
): AsyncGenerator<string, T> {
  const cutter = new PieceCutter(language);
  try {
    for (;;) {
      const next = await text.next();
      if (next.done) {
        yield* cutter.end();
        return next.value;
      }
      yield* cutter.push(next.value);
    }
  } finally {
    // A no-op unless the listener has left early.
    await text.return(undefined as T);
  }
}
