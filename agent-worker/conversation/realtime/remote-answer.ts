// An answer of a realtime server as the avatar says it: its audio, its words, and what was heard of them.
//
//   arriving   the server sends it                                  → complete (it has sent all), dropped
//   complete   the rest is heard                                    → dropped
//   dropped    the person has cut in: what still comes is ignored     (final)
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import type { Expression } from "../../../shared/expressions.ts";
import type { HeardAudio, PlayedUtterance } from "../../room/audio-utterance.ts";

/** Of an answer's words. More are neither shown nor kept: they last for half an hour. */
const MOST_CHARACTERS = 20_000;
/** What is shown at once ends here. */
const CLAUSE_END = /[.!?…,;:。！？、，]["'”’»)\]]*\s*$/;

const MOVES = defineMoves<"arriving" | "complete" | "dropped">({
  arriving: ["complete", "dropped"],
  complete: ["dropped"],
  dropped: [],
});

export interface RemoteAnswerOptions {
  /** The server's id of the response. */
  id: string | undefined;
  /** When the person ended what it answers, ms of `performance.now`; undefined for an answer to nothing. */
  endOfSpeechMs: number | undefined;
  /** Begins an utterance of the avatar. */
  play(): PlayedUtterance;
  /** It begins to be heard, or never will. Once. */
  onStarted(isHeard: boolean): void;
  /** Its utterance has begun. */
  onUtterance(): void;
  /** Its utterance is over. */
  onEnded(end: HeardAudio): void;
}

export class RemoteAnswer {
  readonly id: string | undefined;
  readonly endOfSpeechMs: number | undefined;
  readonly #options: RemoteAnswerOptions;
  readonly #state = new StateMachine(MOVES, "arriving");
  #utterance: PlayedUtterance | undefined;
  #transcript = "";
  /** Words that are not shown yet, and where their audio begins, ms. */
  #caption = { text: "", atMs: 0 };
  /** The server's id of its item. */
  itemId: string | undefined;
  /** It has called a function that has its output: without words, another answer follows. */
  hasCalled = false;
  /** When its first words came, ms of `performance.now`. */
  firstTextAtMs: number | undefined;
  /** Resolves when its utterance is over. */
  settled: Promise<void> = Promise.resolve();

  constructor(options: RemoteAnswerOptions) {
    this.#options = options;
    this.id = options.id;
    this.endOfSpeechMs = options.endOfSpeechMs;
  }

  /** Whether the server has more of it, which is wanted. */
  get isArriving(): boolean {
    return this.#state.is("arriving");
  }

  get isDropped(): boolean {
    return this.#state.is("dropped");
  }

  /** Whether the avatar has begun to say it. */
  get hasUtterance(): boolean {
    return this.#utterance !== undefined;
  }

  addWords(words: string): void {
    this.firstTextAtMs ??= performance.now();
    const taken = words.slice(0, MOST_CHARACTERS - this.#transcript.length);
    this.#transcript += taken;
    if (this.#caption.text === "") this.#caption.atMs = this.#utterance?.madeMs ?? 0;
    this.#caption.text += taken;
    if (CLAUSE_END.test(this.#caption.text)) this.#showWords();
  }

  /** The face shows this while the audio that still comes is heard. */
  express(expression: Expression): void {
    this.#utterance?.express(expression);
  }

  /** `base64`: PCM, mono, int16. */
  addAudio(base64: string): void {
    const bytes = Buffer.from(base64, "base64");
    // A copy, because a part of Node's pool may begin at an odd byte.
    this.#speak().push(new Int16Array(Uint8Array.from(bytes.subarray(0, bytes.length & ~1)).buffer));
  }

  /** The server has sent all of it. Idempotent: servers may say so twice. */
  end(): void {
    if (!this.isArriving) return;
    this.#state.enter("complete");
    if (this.#utterance) this.#showWords();
    else this.#options.onStarted(false);
    this.#utterance?.end();
  }

  /** Silence at once, for good. Idempotent. */
  drop(): void {
    if (this.isDropped) return;
    this.#state.enter("dropped");
    if (this.#utterance) this.#utterance.stop();
    else this.#options.onStarted(false);
  }

  /** The words that were heard: as much of the text as of the audio, in whole words. */
  heardText(heardMs = this.#utterance?.heardMs ?? 0): string {
    if (!this.#utterance) return "";
    const { madeMs } = this.#utterance;
    if (heardMs >= madeMs) return this.#transcript.trim();
    const end = Math.round((this.#transcript.length * heardMs) / madeMs);
    // With the space behind it, if the last word is whole.
    const lastSpace = this.#transcript.slice(0, end + 1).lastIndexOf(" ");
    return this.#transcript.slice(0, Math.max(0, lastSpace)).trim();
  }

  #showWords(): void {
    const { text, atMs } = this.#caption;
    this.#caption.text = "";
    if (text.trim() !== "") this.#speak().caption(text.trim(), atMs);
  }

  #speak(): PlayedUtterance {
    if (this.#utterance) return this.#utterance;
    const { play, onStarted, onUtterance, onEnded } = this.#options;
    const utterance = play();
    this.#utterance = utterance;
    onUtterance();
    void utterance.started.then(onStarted);
    this.settled = utterance.ended.then(onEnded);
    return utterance;
  }
}
