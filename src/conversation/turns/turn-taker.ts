// Takes turns with a person, for conversations that do so by themselves: in a room, and in a realtime session. The
// answer is written ahead with the first words that may be a whole turn, and used if the turn has the same words and
// nothing else was said meanwhile. Beside an answer a hum ("mhm") is no turn.
import { isBackchannel } from "./backchannels.ts";
import { PersonSpeech, type PersonSpeechEvents, type PersonSpeechOptions } from "./person-speech.ts";
import type { PreparedAnswer } from "./prepared-answer.ts";
import type { SpeechWindow } from "./turn-listener.ts";

/** Speech of this length interrupts an answer, ms. */
export const CUT_IN_MS = 160;

/** An answer that is being written. */
export interface WrittenAnswer {
  answer: PreparedAnswer;
  /** Whether all that it depends on is as when it was begun. */
  isCurrent(): boolean;
}

/** `onNoise`: it was no speech, or a hum beside an answer. */
export interface TurnEvents extends Omit<PersonSpeechEvents, "onPause" | "onContinued"> {
  /** The person has paused after these words of a turn, which may go on. */
  onWords(text: string): void;
}

export interface TurnTakerOptions<Written extends WrittenAnswer> {
  speech: PersonSpeechOptions;
  /** Whether an answer is in progress that a hum does not end. */
  isAnswering(): boolean;
  /** Begins the answer to a turn that is not decided yet. Undefined: the turn has to be decided first. */
  writeAhead(text: string): Written | undefined;
  events: TurnEvents;
}

export class TurnTaker<Written extends WrittenAnswer> {
  readonly #options: TurnTakerOptions<Written>;
  readonly #speech: PersonSpeech;
  /** Written ahead for a turn that is not decided yet. */
  #ahead: { text: string; written: Written } | undefined;

  constructor(options: TurnTakerOptions<Written>) {
    const { speech, events } = options;
    this.#options = options;
    this.#speech = new PersonSpeech(speech, {
      ...events,
      onPause: (text, isDoubtful) => this.#onPause(text, isDoubtful),
      onContinued: () => this.dropAnswer(),
    });
  }

  /** Whether the person is in the middle of an utterance; its pauses included. */
  get isOpen(): boolean {
    return this.#speech.isOpen;
  }

  /** Takes the next window of the microphone. */
  push(window: SpeechWindow): void {
    this.#speech.push(window);
  }

  /** The turn is over now, with what was said until now. Returns false if nothing was said. */
  endTurn(): boolean {
    return this.#speech.endTurn();
  }

  /** The microphone is off or gone; see `PersonSpeech`. */
  microphoneLost(): void {
    this.#speech.microphoneLost();
  }

  /** Forgets the utterance, and cancels the answer to it. */
  drop(): void {
    this.#speech.drop();
    this.dropAnswer();
  }

  /** Cancels the answer that was written ahead. */
  dropAnswer(): void {
    this.#ahead?.written.answer.cancel();
    this.#ahead = undefined;
  }

  /** The answer that was written ahead, if it is one to this text and is current. One to another text stays: its turn
   *  may still come. */
  takeAnswer(text: string): Written | undefined {
    if (this.#ahead?.text !== text) return undefined;
    const { written } = this.#ahead;
    const isCurrent = written.isCurrent();
    if (!isCurrent) written.answer.cancel();
    this.#ahead = undefined;
    return isCurrent ? written : undefined;
  }

  #onPause(text: string, isDoubtful: boolean): void {
    const { isAnswering, speech, events, writeAhead } = this.#options;
    if (isAnswering() && (isDoubtful || isBackchannel(text, speech.language))) {
      this.#speech.drop();
      events.onNoise();
      return;
    }
    events.onWords(text);
    if (this.#ahead?.text === text && this.#ahead.written.isCurrent()) return;
    this.dropAnswer();
    const written = writeAhead(text);
    this.#ahead = written && { text, written };
  }
}
