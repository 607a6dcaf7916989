// What a listening face does at the end of a phrase that it heard: a nod, or raised brows after a question.
import { FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";
import type { HeardPhrase } from "../../speech/phrases/phrase-detector.ts";
import { hashUnit } from "./smooth-noise.ts";

/** `lost`: the microphone is off, or brings no audio any more. */
export type HeardOfUser = HeardPhrase | "lost";

/** Shortest time from one reaction to the next, ticks: three seconds. */
const GAP_TICKS = 75;
/** Share of statements with a nod, of those that may have one. Two in turn are not left out. A nod leaves no time for
 *  the brows after a question that follows, so not each statement has one. */
const NOD_SHARE = 0.5;
/** A user who speaks without a phrase for this long is not heard well, ticks: twelve seconds. */
const UNHEARD_TICKS = 300;
/** The avatar reacts unless it speaks itself: least share of the posture. */
const LEAST_SHARE = 0.5;
/** The reactions over time, one value per tick. The first one is seen. */
const NOD = [0.12, 0.4, 0.72, 0.95, 1, 0.9, 0.68, 0.42, 0.2, 0.1, 0.16, 0.3, 0.4, 0.38, 0.26, 0.12, 0.02, -0.04, -0.03];
const BROW = [0.25, 0.6, 0.9, 1, 1, 1, 1, 0.98, 0.95, 0.92, 0.88, 0.82, 0.74, 0.64, 0.52, 0.4, 0.28, 0.17, 0.08, 0.03];
const STREAM = 71;

interface Phrase {
  isQuestion: boolean;
  /** Phrases that were heard before. */
  index: number;
}

/** The reactions of one avatar, one call per tick. Deterministic for a seed and what was heard. */
export class ListeningReactions {
  readonly #seed: number;
  #phrases = 0;
  /** Counts what was heard, to tell what was heard since a pose that is taken back. */
  #heardCount = 0;
  /** Whether the user is heard at all. */
  #followsVoice = false;
  /** Has ended, and the face has not reacted yet. */
  #ended: Phrase | undefined;
  #sinceHeard = 0;
  #sinceReaction = GAP_TICKS;
  #leftOut = false;
  #nod = 0;
  #brow = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Whether the face reacts to what it hears, and does not nod by itself. */
  get followsVoice(): boolean {
    return this.#followsVoice;
  }

  /** Speech that goes on before the face has reacted leaves the reaction out: no one nods into a word. */
  heard(what: HeardOfUser): void {
    this.#heardCount += 1;
    this.#followsVoice = what !== "lost";
    this.#sinceHeard = 0;
    this.#ended = undefined;
    if (what === "lost" || what === "speech") return;
    this.#ended = { isQuestion: what === "question", index: this.#phrases };
    this.#phrases += 1;
  }

  /** Adds the reaction of one tick to a pose. `headMotion` 0..1 scales the head motion; `share` 0..1 is small while the
   *  avatar speaks. */
  addTo(
    pose: Float32Array,
    { isListening, headMotion, share }: { isListening: boolean; headMotion: number; share: number },
  ): void {
    this.#sinceReaction += 1;
    this.#sinceHeard = isListening ? this.#sinceHeard + 1 : 0;
    if (this.#sinceHeard > UNHEARD_TICKS) this.#followsVoice = false;
    if (this.#ended && share >= LEAST_SHARE) this.#react(this.#ended);
    this.#ended = undefined;
    pose[K.pitch] += share * headMotion * this.#nod * (NOD[this.#sinceReaction] ?? 0);
    const brow = share * this.#brow * (BROW[this.#sinceReaction] ?? 0);
    pose[K.brow] += brow;
    // The head goes up with the brows, slightly.
    pose[K.pitch] -= 0.2 * headMotion * brow;
  }

  /** Returns what brings the reactions back to now. What was heard since holds from then on. */
  remember(): () => void {
    const [heardCount, followsVoice, ended] = [this.#heardCount, this.#followsVoice, this.#ended];
    const [sinceHeard, sinceReaction, leftOut] = [this.#sinceHeard, this.#sinceReaction, this.#leftOut];
    const [nod, brow] = [this.#nod, this.#brow];
    return () => {
      [this.#sinceReaction, this.#leftOut] = [sinceReaction, leftOut];
      [this.#nod, this.#brow] = [nod, brow];
      if (this.#heardCount !== heardCount) return;
      [this.#followsVoice, this.#ended, this.#sinceHeard] = [followsVoice, ended, sinceHeard];
    };
  }

  #react({ isQuestion, index }: Phrase): void {
    if (this.#sinceReaction < GAP_TICKS) return;
    const draw = (stream: number) => hashUnit(this.#seed, STREAM + stream, index);
    if (!isQuestion && !this.#leftOut && draw(0) >= NOD_SHARE) {
      this.#leftOut = true;
      return;
    }
    this.#leftOut = false;
    this.#sinceReaction = 0;
    this.#nod = isQuestion ? 0 : 0.26 + 0.14 * draw(1);
    this.#brow = isQuestion ? 0.4 + 0.15 * draw(2) : 0;
  }
}
