// What the person says, from windows of the microphone to the text of a turn. Recognition starts with every pause and
// is dropped if the person goes on; the turn is over when the end-of-turn model says so, or after a long silence.
import { LIP_SYNC_SAMPLES_PER_MS } from "../../../shared/units.ts";
import { primaryLanguage } from "../../speech/languages/languages.ts";
import type { Transcription } from "../../speech/recognition/transcription-client.ts";
import type { ConversationStt, EndOfTurn } from "./conversation-parts.ts";
import { transcribeWithRetries } from "./transcribe-with-retries.ts";
import { type SpeechWindow, TurnListener } from "./turn-listener.ts";

/** Silences after which the end-of-turn model is asked, ms. It was trained on at least 200 ms of silence; a pause that
 *  goes on makes an end more probable. A question takes 23 ms of CPU. */
const QUESTIONS_MS = [224, 416, 640, 960, 1_280] as const;
/** A turn is over after this silence, whatever the model says, ms. */
const LONGEST_SILENCE_MS = 2_500;
/** The same if the model fails, ms. */
const SILENCE_WITHOUT_MODEL_MS = 700;
/** A sound of less speech than this may be a hum or a breath for which the recogniser has invented words, ms. */
const SHORT_MS = 700;
/** Seven words of a second or less were understood with −0.3 to −0.8; what is invented for hums lies between −0.8 and
 *  −1.4, seldom higher. */
const UNSURE = -0.8;
/** More text than this in a second of sound was invented: fast speech has 20 characters, with pauses left out. */
const MOST_CHARACTERS_PER_S = 28;

/** When things happened in a turn, ms of `performance.now`. */
export interface SpeechTimes {
  /** The last window of speech had arrived. */
  endOfSpeechMs: number;
  /** Its text was known. */
  textMs: number;
  /** It was clear that the turn was over. */
  decidedMs: number;
  /** Probability of the recognised words, 0 to 1: the least of the turn's parts. Absent if the recogniser does not
   *  tell. */
  confidence?: number;
}

export interface PersonSpeechEvents {
  /** Speech goes on for `speechMs` since the last pause. */
  onSpeech(speechMs: number): void;
  /** The person pauses for `silenceMs`, and the text is not known yet. */
  onWaiting(silenceMs: number): void;
  /** The person has paused, and this is the text of the turn so far; never empty. `isDoubtful`: the sound was too
   *  short for its words, or the recogniser is unsure whether it was words. */
  onPause(text: string, isDoubtful: boolean): void;
  /** The person goes on after `onPause`. */
  onContinued(): void;
  /** It was no speech. */
  onNoise(): void;
  /** The turn is over. */
  onTurn(text: string, times: SpeechTimes): void;
  /** The words were not understood, because the recogniser failed. */
  onFailed(error: unknown): void;
}

export interface PersonSpeechOptions {
  stt: ConversationStt;
  endOfTurn: EndOfTurn;
  /** Of the agent, a BCP 47 tag: the expected one. */
  language: string;
  /** A turn is over after this silence, ms, and the end-of-turn model is not asked. Default: the model decides. */
  silenceMs?: number;
}

/** A pause splits an utterance of this length, if the person goes on: to recognise it again would cost more time than
 *  the words around the pause are worth, ms. */
const SPLIT_MS = 8_000;

/** What is known of the present pause. */
interface Pause {
  /** Samples of the utterance that are recognised. */
  samples: number;
  stopping: AbortController;
  /** When speech ended, ms of `performance.now`. */
  endOfSpeechMs: number;
  /** Of the whole turn; undefined until it is recognised. */
  text: string | undefined;
  /** Of the utterance. */
  part: string | undefined;
  textMs: number;
  /** How many of the questions were asked. */
  questions: number;
  confidence: number | undefined;
  isOver: boolean;
  hasModelFailed: boolean;
  decidedMs: number;
}

export class PersonSpeech {
  readonly #options: PersonSpeechOptions;
  readonly #events: PersonSpeechEvents;
  readonly #listener = new TurnListener();
  /** Texts of the turn's earlier parts, which were too long to wait for its end. */
  #parts: Promise<Transcription>[] = [];
  #pause: Pause | undefined;

  /** `options` are read whenever they count: they may change. */
  constructor(options: PersonSpeechOptions, events: PersonSpeechEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Whether the person is in the middle of an utterance; its pauses included. */
  get isOpen(): boolean {
    return this.#listener.isOpen;
  }

  /** Takes the next window of the microphone. */
  push(window: SpeechWindow): void {
    const event = this.#listener.push(window);
    if (!event) return;
    if (event.type === "pause") this.#onPause(event.silenceMs);
    else if (event.type === "noise") this.#onNothing();
    else {
      this.#goOn();
      if (event.type === "long") this.#takePart();
      else this.#events.onSpeech(event.speechMs);
    }
  }

  /** The turn is over now, with what was said until now. Returns false if nothing was said. */
  endTurn(): boolean {
    if (!this.#listener.isOpen) return false;
    this.#decide(this.#pause ?? this.#beginPause(0));
    return true;
  }

  /** Forgets the utterance: it was no turn. */
  drop(): void {
    this.#pause?.stopping.abort(new Error("dropped"));
    this.#pause = undefined;
    this.#parts = [];
    this.#listener.take();
  }

  /** The microphone is off or gone. What was said before counts as a turn if its words were understood. */
  microphoneLost(): void {
    const pause = this.#pause;
    if (pause?.text) this.#finish(pause);
    else if (this.#listener.isOpen) this.#onNothing();
    this.#listener.reset();
  }

  /** Recognises the beginning of an utterance that goes on. */
  #takePart(): void {
    const part = this.#transcribe(this.#listener.take());
    // The pause at the end of the turn finds the error, if it comes to that.
    part.catch(() => undefined);
    this.#parts.push(part);
  }

  #onNothing(): void {
    this.drop();
    this.#events.onNoise();
  }

  #goOn(): void {
    if (!this.#pause) return;
    const { stopping, text, part = "", samples } = this.#pause;
    this.#pause = undefined;
    stopping.abort(new Error("the person goes on"));
    if (text === undefined) return;
    if (samples > SPLIT_MS * LIP_SYNC_SAMPLES_PER_MS) {
      this.#parts.push(Promise.resolve({ text: part, language: undefined }));
      this.#listener.cut(samples);
    }
    this.#events.onContinued();
  }

  #onPause(silenceMs: number): void {
    const pause = this.#pause ?? this.#beginPause(silenceMs);
    if (pause.text === undefined) this.#events.onWaiting(silenceMs);
    if (this.#pause !== pause) return;
    const { silenceMs: limit } = this.#options;
    const limitMs = limit ?? (pause.hasModelFailed ? SILENCE_WITHOUT_MODEL_MS : LONGEST_SILENCE_MS);
    if (silenceMs >= limitMs) this.#decide(pause);
    else if (limit !== undefined) return;
    else if (pause.questions < QUESTIONS_MS.length && silenceMs >= QUESTIONS_MS[pause.questions]) {
      pause.questions += 1;
      void this.#ask(pause);
    }
  }

  #beginPause(silenceMs: number): Pause {
    const { utterance } = this.#listener;
    const pause: Pause = {
      samples: utterance.length,
      stopping: new AbortController(),
      endOfSpeechMs: performance.now() - silenceMs,
      text: undefined,
      part: undefined,
      textMs: 0,
      questions: 0,
      confidence: undefined,
      isOver: false,
      hasModelFailed: false,
      decidedMs: 0,
    };
    this.#pause = pause;
    void this.#recognise(pause, utterance);
    return pause;
  }

  async #recognise(pause: Pause, samples: Int16Array): Promise<void> {
    try {
      const texts = await Promise.all([...this.#parts, this.#transcribe(samples, pause.stopping.signal)]);
      if (this.#pause !== pause) return;
      const said = texts.map(({ text }) => text);
      pause.part = said.at(-1);
      pause.text = said.filter((text) => text !== "").join(" ");
      pause.textMs = performance.now();
      pause.confidence = confidenceOf(texts);
      if (pause.text === "") return this.#onNothing();
      this.#events.onPause(pause.text, this.#isDoubtful(texts));
      if (this.#pause === pause && pause.isOver) this.#finish(pause);
    } catch (error) {
      if (this.#pause !== pause) return;
      this.drop();
      this.#events.onFailed(error);
    }
  }

  #isDoubtful(texts: readonly Transcription[]): boolean {
    if (texts.length > 1) return false;
    const { voicedMs } = this.#listener;
    const [{ text, language, meanLogProbability = 0 }] = texts;
    if ((text.length * 1000) / voicedMs > MOST_CHARACTERS_PER_S) return true;
    if (voicedMs > SHORT_MS) return false;
    const isForeign = language !== undefined && language !== primaryLanguage(this.#options.language);
    return isForeign || meanLogProbability < UNSURE;
  }

  /** Throws the last error if every attempt fails. */
  #transcribe(samples: Int16Array, signal?: AbortSignal): Promise<Transcription> {
    const { stt, language } = this.#options;
    return transcribeWithRetries(stt, samples, { language, signal });
  }

  async #ask(pause: Pause): Promise<void> {
    const { endOfTurn, language } = this.#options;
    try {
      const probability = await endOfTurn.predict(this.#listener.tail);
      if (probability >= endOfTurn.threshold(language)) this.#decide(pause);
    } catch {
      // The turn ends after a silence instead.
      pause.hasModelFailed = true;
    }
  }

  #decide(pause: Pause): void {
    if (this.#pause !== pause || pause.isOver) return;
    pause.isOver = true;
    pause.decidedMs = performance.now();
    if (pause.text !== undefined) this.#finish(pause);
  }

  #finish({ text = "", endOfSpeechMs, textMs, decidedMs, confidence }: Pause): void {
    this.drop();
    const times = { endOfSpeechMs, textMs, decidedMs: Math.max(decidedMs, textMs) };
    this.#events.onTurn(text, confidence === undefined ? times : { ...times, confidence });
  }
}

/** Of the least certain part; undefined if the recogniser tells of none. */
function confidenceOf(texts: readonly Transcription[]): number | undefined {
  const known = texts.flatMap(({ meanLogProbability }) => meanLogProbability ?? []);
  return known.length === 0 ? undefined : Math.min(1, Math.exp(Math.min(...known)));
}
