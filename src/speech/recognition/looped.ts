// Finds the loop into which a recogniser falls that finds no more speech.

/** A phrase is this many tokens at most. */
const LONGEST_PHRASE = 24;
/** A phrase of at least this many tokens may follow itself twice; a shorter one, such as a digit or "no", more often.
 *  */
const LONG_PHRASE = 4;
const REPEATS = 3;
const SHORT_REPEATS = 8;

/** Whether tokens end with a phrase said over and over: three times, or eight times if it is of one to three tokens. */
export function isLooped(tokens: readonly number[]): boolean {
  for (let length = 1; length <= LONGEST_PHRASE; length++) {
    const repeats = length < LONG_PHRASE ? SHORT_REPEATS : REPEATS;
    if (tokens.length >= repeats * length && repeatsItself(tokens, length, repeats)) return true;
  }
  return false;
}

function repeatsItself(tokens: readonly number[], length: number, repeats: number): boolean {
  const from = tokens.length - (repeats - 1) * length;
  for (let at = from; at < tokens.length; at++) if (tokens[at] !== tokens[at - length]) return false;
  return true;
}
