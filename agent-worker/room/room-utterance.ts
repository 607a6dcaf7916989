// One utterance of the avatar: text comes in pieces, the voice makes audio of them, and the engine plays it. It can be
// paused and resumed without losing a word, and knows what was heard.
//
//   playing  its audio goes to the engine as it is made                       → paused, stopped, over
//   paused   the voice goes on, its audio is kept                             → playing, stopped, over
//   stopped  the engine is cleared; its report of the segment's end follows   → over
//   over     all of it was heard, or it was stopped                           (final)
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type { SegmentEnd } from "../../room/playout/heard-events.ts";
import type { SpokenUtterance, UtteranceEnd } from "../../src/conversation/turns/speech-output.ts";
import { TextQueue } from "../../src/conversation/turns/text-queue.ts";
import type { Engine, ExpressiveSegment } from "../../src/face/engine/engine.ts";
import { UncutTags } from "../../src/speech/text/expression-tags.ts";
import type { TimedViseme } from "../../src/speech/visemes/timed-viseme.ts";
import { SpokenExpressions } from "../../src/speech/voice/spoken-expressions.ts";
import { SpokenText } from "../../src/speech/voice/spoken-text.ts";
import type { SentenceTimes, SpeechOptions, SpokenPiece, Voice } from "../../src/speech/voice/voice.ts";
import { captionPieces } from "./caption-pieces.ts";
import type { Captions } from "./captions.ts";

/** How far the voice may be ahead of what is heard, ms. A message of 5,000 characters lasts five minutes: synthesized
 *  at once, it would take seconds of CPU from its first words, and a few of them would overflow the engine's queue. */
const AHEAD_LIMIT_MS = 10_000;
/** Audio that was heard is kept this long for a resumption, ms: longer than any word. */
const KEPT_MS = 5_000;
/** What waits in the room's audio queue and on its way while the avatar speaks, ms. */
const ON_ITS_WAY_MS = 200;

export interface RoomUtteranceOptions {
  /** Id of its first segment; the ones after a pause get a number. */
  id: string;
  engine: Engine;
  voice: Voice;
  speech: SpeechOptions;
  captions: Captions;
  /** Audio or the end of a segment was passed to the engine. */
  onAudio(): void;
  /** Empties the engine and the room's audio queue; its segment is then reported as finished. */
  clear(): void;
}

/** Audio of the utterance. */
interface MadeAudio {
  startMs: number;
  endMs: number;
  sampleRateHz: number;
  samples: Int16Array;
  /** Its sentence; undefined if the voice does not tell. */
  sentence: MadeSentence | undefined;
}

interface MadeSentence {
  startMs: number;
  times: SentenceTimes;
}

type UtteranceState = "playing" | "paused" | "stopped" | "over";

const MOVES = defineMoves<UtteranceState>({
  playing: ["paused", "stopped", "over"],
  paused: ["playing", "stopped", "over"],
  stopped: ["over"],
  over: [],
});

export class RoomUtterance implements SpokenUtterance {
  readonly #options: RoomUtteranceOptions;
  readonly #texts = new TextQueue();
  readonly #tags = new UncutTags();
  readonly #spoken = new SpokenText();
  readonly #expressions = new SpokenExpressions();
  /** Resolves with true when the engine has its first audio, with false if it ends without any. Rejects with the error
   *  of the voice if that comes first. */
  readonly made: Promise<boolean>;
  /** Resolves when the voice has made all of it, or nothing more is wanted. Rejects with the error of the voice. */
  readonly spoken: Promise<void>;
  readonly started: Promise<boolean>;
  readonly ended: Promise<UtteranceEnd>;
  #tellMade: (hasAudio: boolean) => void = () => undefined;
  #tellFailed: (error: unknown) => void = () => undefined;
  #tellStarted: (isHeard: boolean) => void = () => undefined;
  #tellEnd: (end: UtteranceEnd) => void = () => undefined;
  readonly #state = new StateMachine(MOVES, "playing");
  #audio: MadeAudio[] = [];
  #sentence: MadeSentence | undefined;
  /** Audio made so far, ms. */
  #madeMs = 0;
  #isMade = false;
  #error: unknown;
  #segment: ExpressiveSegment | undefined;
  #segmentId = "";
  #segmentCount = 0;
  /** Where the segment starts in the utterance, ms. */
  #baseMs = 0;
  /** A clear of ours is not reported yet. */
  #isCutPending = false;
  #queuedMs = 0;
  #heardMs = 0;
  #wake: () => void = () => undefined;

  constructor(options: RoomUtteranceOptions) {
    this.#options = options;
    this.made = new Promise((resolve, reject) => {
      this.#tellMade = resolve;
      this.#tellFailed = reject;
    });
    this.made.catch(() => undefined);
    this.started = new Promise((resolve) => {
      this.#tellStarted = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    this.spoken = this.#run();
    this.spoken.catch(() => undefined);
  }

  /** Tags in the text are expressions of the face, from the word behind them on, and are not spoken. */
  add(text: string): void {
    this.#queue(this.#tags.add(text));
  }

  end(): void {
    this.#queue(this.#tags.end());
    this.#texts.end();
  }

  pause(): void {
    if (!this.#state.is("playing")) return;
    this.#state.enter("paused");
    this.#cut();
  }

  resume(): void {
    if (!this.#state.is("paused")) return;
    this.#state.enter("playing");
    if (!this.#isCutPending) this.#replay();
  }

  stop(): void {
    if (!this.#isWanted) return;
    this.#state.enter("stopped");
    this.#texts.end();
    this.#wake();
    this.#cut();
    if (!this.#isCutPending) this.#finish();
  }

  /** Stops because the caller clears the engine. */
  drop(): void {
    if (this.#isWanted) this.#state.enter("stopped");
    this.#wake();
    this.#finish();
  }

  get heardText(): string {
    return this.#spoken.heardUntil(Math.max(this.#heardMs, this.#queuedMs - ON_ITS_WAY_MS));
  }

  /** Whether a segment is one of its own. */
  owns(segmentId: string): boolean {
    return segmentId === this.#options.id || segmentId.startsWith(`${this.#options.id}.`);
  }

  /** The first audio of a segment of its own is heard. */
  segmentStarted(): void {
    this.#tellStarted(true);
  }

  /** Audio of a segment of its own, up to `untilMs` of it, has left for the room. */
  segmentQueued(segmentId: string, untilMs: number): void {
    if (segmentId !== this.#segmentId) return;
    this.#queuedMs = Math.max(this.#queuedMs, this.#baseMs + untilMs);
    while (this.#audio[0] && this.#audio[0].endMs < this.#queuedMs - KEPT_MS) this.#audio.shift();
    this.#wake();
  }

  /** A segment of its own is over. */
  segmentFinished(segmentId: string, { positionMs, interrupted }: SegmentEnd): void {
    if (segmentId !== this.#segmentId || this.#state.is("over")) return;
    this.#heardMs = this.#baseMs + positionMs;
    this.#queuedMs = Math.max(this.#heardMs, Math.min(this.#queuedMs, this.#heardMs + ON_ITS_WAY_MS));
    const isOurCut = this.#isCutPending;
    this.#isCutPending = false;
    this.#segment = undefined;
    // Cleared by another: the rest is not wanted.
    if (interrupted && !isOurCut && this.#isWanted) this.#state.enter("stopped");
    if (!interrupted || this.#state.is("stopped")) this.#finish();
    else if (this.#state.is("playing")) this.#replay();
  }

  /** False once it was stopped, or all of it was heard. */
  get #isWanted(): boolean {
    return this.#state.is("playing", "paused");
  }

  #queue(text: string): void {
    if (text.trim() !== "") this.#texts.add(text);
  }

  async #run(): Promise<void> {
    const { voice, speech } = this.#options;
    try {
      for await (const tagged of this.#texts) {
        const text = this.#expressions.begin(tagged);
        if (text.trim() === "") continue;
        this.#spoken.begin(text, this.#madeMs);
        for await (const piece of voice.synthesize(text, speech)) {
          if (!this.#isWanted) return;
          this.#take(piece);
          while (this.#isWanted && this.#madeMs - this.#queuedMs > AHEAD_LIMIT_MS) await this.#woken();
        }
        this.#spoken.end(this.#madeMs);
      }
    } catch (error) {
      this.#error = error;
      this.#tellFailed(error);
      throw error;
    } finally {
      this.#isMade = true;
      this.#tellMade(this.#madeMs > 0);
      if (this.#segment) this.#endSegment();
      else if (this.#state.is("playing") && !this.#isCutPending) this.#finish();
    }
  }

  #take({ sampleRateHz, samples, sentence }: SpokenPiece): void {
    const startMs = this.#madeMs;
    this.#madeMs += (samples.length / sampleRateHz) * 1000;
    if (sentence) {
      this.#sentence = { startMs, times: sentence };
      this.#spoken.addSentence(sentence, startMs);
    }
    this.#expressions.made(sentence, startMs);
    const audio = { startMs, endMs: this.#madeMs, sampleRateHz, samples, sentence: this.#sentence };
    this.#audio.push(audio);
    if (this.#state.is("playing") && !this.#isCutPending) this.#play(audio, startMs);
    this.#tellMade(true);
  }

  /** Passes audio to the engine, from `fromMs` of the utterance. */
  #play({ startMs, endMs, sampleRateHz, samples, sentence }: MadeAudio, fromMs: number): void {
    const { id, engine, onAudio } = this.#options;
    const offset = Math.max(0, Math.round(((fromMs - startMs) / 1000) * sampleRateHz));
    const playedMs = startMs + (offset / sampleRateHz) * 1000;
    const isFirst = !this.#segment;
    if (!this.#segment) {
      this.#segmentCount += 1;
      this.#segmentId = this.#segmentCount === 1 ? id : `${id}.${this.#segmentCount}`;
      this.#baseMs = playedMs;
      this.#segment = engine.openSegment(this.#segmentId, sampleRateHz);
    }
    const beginsSentence = sentence?.startMs === playedMs;
    if (sentence && (isFirst || beginsSentence)) this.#caption(sentence);
    const visemes = isFirst || beginsSentence ? visemesFrom(sentence, playedMs) : undefined;
    for (const { expression, atMs } of this.#expressions.between(playedMs, endMs, isFirst)) {
      this.#segment.express(expression, atMs - playedMs);
    }
    this.#segment.push(samples.subarray(offset), visemes);
    onAudio();
  }

  /** Adds the words of a sentence that were not shown before a pause. */
  #caption({ startMs, times }: MadeSentence): void {
    const all = captionPieces(times);
    const pieces = all
      .filter((piece) => startMs + piece.startMs >= this.#heardMs)
      .map((piece) => ({ ...piece, startMs: Math.max(0, startMs + piece.startMs - this.#baseMs) }));
    if (pieces.length === 0) return;
    const sentence = pieces.length === all.length ? times.text : undefined;
    const expression = this.#expressions.at(this.#baseMs + pieces[0].startMs);
    this.#options.captions.add(this.#segmentId, pieces, sentence, expression);
  }

  #replay(): void {
    const fromMs = this.#spoken.resumeAt(this.#heardMs);
    for (const audio of this.#audio) if (audio.endMs > fromMs) this.#play(audio, fromMs);
    if (!this.#isMade) return;
    if (this.#segment) this.#endSegment();
    else this.#finish();
  }

  #endSegment(): void {
    this.#segment?.end();
    this.#options.onAudio();
  }

  #cut(): void {
    if (!this.#segment) return;
    this.#isCutPending = true;
    this.#segment = undefined;
    this.#options.clear();
  }

  #finish(): void {
    if (this.#state.is("over")) return;
    const interrupted = this.#state.is("stopped");
    this.#state.enter("over");
    this.#texts.end();
    const heardText = interrupted
      ? this.#spoken.heardUntil(this.#heardMs)
      : this.#spoken.heardUntil(Number.POSITIVE_INFINITY);
    this.#tellStarted(this.#heardMs > 0);
    this.#tellEnd({ heardText, interrupted, ...(this.#error !== undefined && { error: this.#error }) });
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Mouth shapes of a sentence from a time in it, with times from there. */
function visemesFrom(sentence: MadeSentence | undefined, fromMs: number): readonly TimedViseme[] | undefined {
  if (!sentence) return undefined;
  const cutMs = fromMs - sentence.startMs;
  const { visemes } = sentence.times;
  if (cutMs === 0) return visemes;
  return visemes
    .filter(({ endMs }) => endMs > cutMs)
    .map((viseme) => ({ ...viseme, startMs: viseme.startMs - cutMs, endMs: viseme.endMs - cutMs }));
}
