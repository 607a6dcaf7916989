// Drives the engine by one clock: every 40 ms it sends one frame to the room, first its audio, then its video.
//
//   new       nothing plays yet                                         → silent (`start`), closed
//   silent    the last frame held no speech                             → speaking, cleared, closed
//   speaking  the last frame held speech                                → silent, holding, cleared, closed
//   holding   the next frame is due and waits for late audio            → speaking, cleared, closed
//   cleared   everything was cut off; a frame heard before that is stale → silent (with the next frame), closed
//   closed    the frame in progress is the last one                     (final)
import type { Logger } from "../../shared/log.ts";
import { HOP_MS } from "../../shared/units.ts";
import { assertMove, type Moves } from "../../src/engine/assert-move.ts";
import type { Engine, EngineAudio, EngineEvent } from "../../src/engine/engine.ts";
import { FrameClock } from "./frame-clock.ts";
import { HeardEvents, type HeardListener } from "./heard-events.ts";
import type { OutputTracks } from "./output-tracks.ts";
import type { PlayoutMetrics } from "./playout-metrics.ts";

/** Silence queued before the first audio of an utterance, ms. The audio source takes 10 ms at a time. Each ms adds 1 ms
 *  of latency. */
const START_RESERVE_MS = 10;
/** Shortens the interval before the second frame, ms, which enlarges the audio reserve by the same time. The reserve
 *  covers timers that fire late. */
const LEAD_AFTER_START_MS = 10;
const STEADY_RESERVE_MS = START_RESERVE_MS + LEAD_AFTER_START_MS;
/** Audio reserve that remains after a frame has waited for late audio, ms. */
const LAST_RESERVE_MS = 5;

type PacerState = "new" | "silent" | "speaking" | "holding" | "cleared" | "closed";

const MOVES: Moves<PacerState> = {
  new: ["silent", "closed"],
  silent: ["speaking", "cleared", "closed"],
  speaking: ["silent", "holding", "cleared", "closed"],
  holding: ["speaking", "cleared", "closed"],
  cleared: ["silent", "closed"],
  closed: [],
};

export interface FramePacerOptions {
  engine: Engine;
  tracks: OutputTracks;
  metrics: PlayoutMetrics;
  logger: Logger;
  listener: HeardListener;
  /** Called once if the engine fails; the pacer has stopped by then. */
  onFailure(error: unknown): void;
}

/** Runs from `start()` to `close()`: audio and video at 25 fps, silence while there is no speech. */
export class FramePacer {
  readonly #options: FramePacerOptions;
  readonly #heard: HeardEvents;
  readonly #clock = new FrameClock({
    catchUpLimitMs: HOP_MS + STEADY_RESERVE_MS,
    leadAfterWakeMs: LEAD_AFTER_START_MS,
  });
  /** Zeros, of the largest length that is queued at once. */
  readonly #zeros: Int16Array;
  #state: PacerState = "new";
  /** Queued speech that the last clear dropped, ms. The heard position of the interrupted segment is earlier than its
   *  played position by this. */
  #unheardMs = 0;
  /** Resolves when the room has accepted all audio sent to it. */
  #audioTaken: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: FramePacerOptions) {
    this.#options = options;
    this.#heard = new HeardEvents(options.listener);
    this.#zeros = new Int16Array(this.#samplesIn(HOP_MS + STEADY_RESERVE_MS));
  }

  /** Starts the clock. Once. */
  start(): void {
    this.#enter("silent");
    this.#loop = this.#run().catch((error) => {
      if (this.#state !== "closed") this.#options.onFailure(error);
    });
  }

  /** Call it whenever audio was pushed into the engine. The first audio of an utterance does not wait for the next
   *  frame. */
  audioArrived(): void {
    const isWaitedFor = this.#state === "silent" || this.#state === "cleared" || this.#state === "holding";
    if (isWaitedFor && this.#options.engine.readiness() === "ready") this.#clock.wake();
  }

  /** Empties engine and audio queue at once and continues with silence; without that silence, the decoders of the
   *  listeners would conceal the gap audibly. Returns the ids of the interrupted segments. */
  clear(): string[] {
    const { engine, tracks } = this.#options;
    if (this.#state === "closed" || this.#state === "new") return [];
    this.#heard.queueCleared();
    const cutOff = engine.clear();
    // After a second clear in a row, the queue holds only silence.
    if (this.#state !== "cleared") {
      this.#unheardMs = tracks.queuedAudioMs;
      this.#enter("cleared");
    }
    tracks.clearAudio();
    this.#queueSilence(HOP_MS + STEADY_RESERVE_MS);
    // The events of the interrupted segments come with the next frame.
    if (cutOff.length > 0) this.#clock.wake();
    return cutOff;
  }

  /** Stops after the frame in progress. Idempotent. */
  async close(): Promise<void> {
    if (this.#state !== "closed") this.#enter("closed");
    this.#heard.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { engine, tracks, metrics } = this.#options;
    this.#queueSilence(STEADY_RESERVE_MS);
    while (this.#isOpen) {
      const due = await this.#clock.next();
      await this.#holdForLateAudio();
      if (!this.#isOpen) return;
      const startMs = performance.now();
      if (this.#state === "cleared") this.#enter("silent");
      const audio = await engine.hear();
      if (!this.#isOpen) return;
      this.#playAudio(audio);
      const frame = await engine.render();
      // The audio that woke the clock during this frame has already been sent.
      if (this.#state === "speaking") this.#clock.forgetWake();
      await this.#audioTaken;
      if (!this.#isOpen) return;
      tracks.showFrame(frame, BigInt(Math.round(due.dueMs * 1000)));
      metrics.countFrame(due, performance.now() - startMs);
    }
  }

  get #isOpen(): boolean {
    return this.#state !== "closed";
  }

  /** Waits for the late audio of an utterance as long as the audio reserve allows; after that, silence is played. */
  async #holdForLateAudio(): Promise<void> {
    const { engine, tracks } = this.#options;
    if (this.#state !== "speaking" || engine.readiness() !== "waiting") return;
    this.#enter("holding");
    await this.#clock.hold(tracks.queuedAudioMs - LAST_RESERVE_MS);
    if (this.#isHolding) this.#enter("speaking");
  }

  /** Reads the state again: `clear` and `close` may have changed it during an await, which the compiler does not
   *  know. */
  get #isHolding(): boolean {
    return this.#state === "holding";
  }

  /** Queues the audio of a frame and reports its events. Does not queue audio that the engine produced before a
   *  clear. */
  #playAudio({ audio, isSpeaking, speechMs, segmentId, positionMs, events }: EngineAudio): void {
    const { engine, metrics } = this.#options;
    const isStale = this.#state === "cleared";
    const wasSpeaking = this.#state === "speaking";
    if (isStale) this.#unheardMs += speechMs;
    else if (isSpeaking !== wasSpeaking) this.#enter(isSpeaking ? "speaking" : "silent");
    if (wasSpeaking && !isSpeaking && engine.readiness() === "waiting") metrics.countStarvation();
    let queuedMs = this.#options.tracks.queuedAudioMs;
    // The clear has just queued more silence than this frame holds.
    if (!isStale && isSpeaking) queuedMs = this.#queueSpeech(audio, wasSpeaking);
    else if (!isStale) this.#queuePause(audio, queuedMs);
    if (!isSpeaking && !wasSpeaking) this.#clock.stretch();
    if (!isStale && segmentId !== null) this.#heard.queued(segmentId, positionMs, positionMs + speechMs, queuedMs);
    for (const event of events) {
      if (isStale) this.#reportStale(event);
      else this.#report(event, queuedMs, speechMs);
    }
  }

  /** Returns the duration of the audio queued before it, ms. */
  #queueSpeech(audio: Int16Array, isContinued: boolean): number {
    const { tracks, metrics } = this.#options;
    const queuedMs = tracks.queuedAudioMs;
    if (isContinued && queuedMs > 0) {
      this.#queue(audio);
      return queuedMs;
    }
    if (isContinued) metrics.countAudioGap();
    // Speech must not wait behind silence that is still queued.
    tracks.clearAudio();
    this.#queueSilence(START_RESERVE_MS);
    this.#queue(audio);
    return START_RESERVE_MS;
  }

  /** Queues a frame without speech, shorter or longer than 40 ms, so that the queue returns to its steady length. Only
   *  silence is left out, because a voice can fade out only at the beginning of the frame. */
  #queuePause(audio: Int16Array, queuedMs: number): void {
    const lengthMs = Math.max(0, Math.round(HOP_MS - (queuedMs - STEADY_RESERVE_MS)));
    this.#queue(lengthMs < HOP_MS ? audio.subarray(0, this.#samplesIn(lengthMs)) : audio);
    this.#queueSilence(Math.max(0, lengthMs - HOP_MS));
  }

  #queueSilence(durationMs: number): void {
    this.#queue(this.#zeros.subarray(0, this.#samplesIn(durationMs)));
  }

  #queue(samples: Int16Array): void {
    if (samples.length === 0) return;
    const { tracks, logger } = this.#options;
    const taken = tracks.queueAudio(samples).catch((error) => {
      if (this.#isOpen) logger.warn({ err: error }, "audio refused by the room");
    });
    const before = this.#audioTaken;
    this.#audioTaken = taken.then(() => before);
  }

  #report(event: EngineEvent, queuedMs: number, speechMs: number): void {
    if (event.type === "segment-started") {
      this.#heard.started(event.segmentId, queuedMs);
    } else if (event.interrupted) {
      this.#reportCutOff(event.segmentId, event.positionMs);
    } else {
      // A segment without audio finishes here, too; the audio of the frame belongs to another segment.
      this.#heard.finished(event.segmentId, event.positionMs, queuedMs + (event.positionMs > 0 ? speechMs : 0));
    }
  }

  /** Events of a frame that is not played. A segment that only starts in it is reported as cut off by the next frame;
   *  one that finishes in it is cut off, too, unless it held no audio. */
  #reportStale(event: EngineEvent): void {
    if (event.type === "segment-finished") this.#reportCutOff(event.segmentId, event.positionMs);
  }

  #reportCutOff(segmentId: string, positionMs: number): void {
    this.#heard.interrupted(segmentId, Math.max(0, positionMs - this.#unheardMs));
    // Segments play one after the other, so at most one of the interrupted segments had begun to play.
    if (positionMs > 0) this.#unheardMs = 0;
  }

  #samplesIn(durationMs: number): number {
    return Math.round((durationMs / 1000) * this.#options.engine.sampleRateHz);
  }

  #enter(next: PacerState): void {
    assertMove(MOVES, this.#state, next);
    this.#state = next;
  }
}
