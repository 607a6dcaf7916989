// Something that the avatar says: a line, or an answer while it is written.
import type { PreparedAnswer } from "./prepared-answer.ts";
import type { SpokenUtterance, UtteranceEnd } from "./speech-output.ts";

export interface ActOptions {
  utterance: SpokenUtterance;
  /** Undefined for a line. */
  answer: PreparedAnswer | undefined;
  /** It begins while the person speaks: that speech does not hold it. */
  isOverSpeech: boolean;
  /** It begins to be heard. */
  onStarted(): void;
  /** It is over; `startedAt` is undefined if nothing was heard. */
  onEnded(end: UtteranceEnd, startedAt: Date | undefined): void;
}

export class Act {
  readonly utterance: SpokenUtterance;
  readonly #answer: PreparedAnswer | undefined;
  #startedAt: Date | undefined;
  isOverSpeech: boolean;
  /** Resolves after `onEnded`. */
  readonly settled: Promise<void>;

  constructor({ utterance, answer, isOverSpeech, onStarted, onEnded }: ActOptions) {
    this.utterance = utterance;
    this.#answer = answer;
    this.isOverSpeech = isOverSpeech;
    void utterance.started.then((isHeard) => {
      if (!isHeard) return;
      this.#startedAt = new Date();
      onStarted();
    });
    this.settled = utterance.ended.then((end) => onEnded(end, this.#startedAt));
  }

  /** Whether it has begun to be heard. */
  get isHeard(): boolean {
    return this.#startedAt !== undefined;
  }

  /** Says the answer as it is written. If the writing fails, what was written before stays; without any words,
   *  `standIn` tells what to say. */
  async sayAnswer(onFault: (error: unknown) => void, standIn: () => Promise<string>): Promise<void> {
    let hasWords = false;
    try {
      for await (const piece of this.#answer?.pieces() ?? []) {
        hasWords ||= piece.trim() !== "";
        this.utterance.add(piece);
      }
    } catch (error) {
      onFault(error);
      if (!hasWords) this.utterance.add(await standIn());
    }
    this.utterance.end();
  }

  /** Silence at once, for good. */
  stop(): void {
    this.#answer?.cancel();
    this.utterance.stop();
  }
}
