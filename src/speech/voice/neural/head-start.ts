// How much of a sentence is made before any of it is heard, so that a machine that makes audio slowly pauses between
// sentences and not within them.
import type { SpokenPiece } from "../voice.ts";
import { OVERLAP_S } from "./network-graphs.ts";
import { PIECE_SECONDS } from "./piece-plan.ts";

/** Audio is heard this much later than it is given away, so that a piece may be late by it. */
const SLACK_S = 0.1;
/** A listener waits for the first sentence. With 2.6 s of audio, or after four seconds, it begins, even if it will have
 *  to stop later. */
const MOST_HELD_FIRST = 3;
const LONGEST_WAIT_S = 4;

/** Holds pieces of a message back until their sentence may begin. */
export class HeadStart {
  readonly #now: () => number;
  readonly #sinceMs: number;
  /** Of a sentence that has not begun; undefined while one is heard. */
  #held: SpokenPiece[] | undefined = [];
  #isFirst = true;
  /** Of the sentence that is being made, its pause included; 0 if that is not known. */
  #sentenceS = 0;
  #madeS = 0;
  /** When everything that was given away has been heard. */
  #heardAtMs = 0;

  /** `now`: a clock, ms. */
  constructor(now: () => number) {
    this.#now = now;
    this.#sinceMs = now();
  }

  /** Takes the next piece, and returns what may be heard now, in order. */
  add(piece: SpokenPiece, pace: number): SpokenPiece[] {
    if (piece.sentence) this.#sentenceS = (piece.sentence.visemes.at(-1)?.endMs ?? 0) / 1000;
    this.#madeS += secondsOf(piece);
    this.#held?.push(piece);
    const given = this.#held ? (piece.endsSentence || this.#mayBegin(this.#held, pace) ? this.#held : []) : [piece];
    if (given.length > 0) this.#held = undefined;
    if (piece.endsSentence) {
      this.#held = [];
      this.#isFirst = false;
      this.#madeS = 0;
    }
    const givenMs = 1000 * given.reduce((sum, each) => sum + secondsOf(each), 0);
    this.#heardAtMs = Math.max(this.#heardAtMs, this.#now()) + givenMs;
    return given;
  }

  #mayBegin(held: readonly SpokenPiece[], pace: number): boolean {
    return mayBegin(pace, {
      heldPieces: held.length,
      heldS: held.reduce((sum, piece) => sum + secondsOf(piece), 0),
      restS: Math.max(0, this.#sentenceS - this.#madeS),
      aheadS: Math.max(0, this.#heardAtMs - this.#now()) / 1000,
      isFirst: this.#isFirst,
      waitedS: (this.#now() - this.#sinceMs) / 1000,
    });
  }
}

interface SentenceSoFar {
  /** Pieces that are made and not yet given away, and their length. */
  heldPieces: number;
  heldS: number;
  /** What is not made yet. */
  restS: number;
  /** Audio of earlier sentences that is still to be heard. */
  aheadS: number;
  isFirst: boolean;
  /** Since the message came. */
  waitedS: number;
}

/** Whether the sentence may begin to be heard: each further piece will then be made before the audio ahead of it ends.
 *  `pace`: seconds that it takes to make a second of audio. */
function mayBegin(pace: number, { heldPieces, heldS, restS, aheadS, isFirst, waitedS }: SentenceSoFar): boolean {
  if (isFirst && (heldPieces >= MOST_HELD_FIRST || waitedS >= LONGEST_WAIT_S)) return true;
  let madeAt = 0;
  let soundEndsAt = aheadS + heldS + SLACK_S;
  for (const seconds of piecesOf(restS, heldPieces)) {
    madeAt += pace * (seconds + OVERLAP_S);
    if (madeAt > soundEndsAt) return false;
    soundEndsAt += seconds;
  }
  return true;
}

/** Lengths of the pieces of the rest of a sentence, s. */
function* piecesOf(restS: number, from: number): Generator<number> {
  for (let [rest, index] = [restS, from]; rest > 0; index++) {
    const planned = PIECE_SECONDS[Math.min(index, PIECE_SECONDS.length - 1)];
    const seconds = rest - planned < PIECE_SECONDS[0] ? rest : planned;
    yield seconds;
    rest -= seconds;
  }
}

function secondsOf({ samples, sampleRateHz }: SpokenPiece): number {
  return samples.length / sampleRateHz;
}
