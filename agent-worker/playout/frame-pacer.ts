// Drives the engine at the pace of one clock: every 40 ms it hands one frame to the room, first the audio, then the
// video.
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

/** Silence queued before the first audio of an utterance, ms: the source takes audio 10 ms at a time. Each ms is a ms
 *  of latency. */
const START_RESERVE_MS = 10;
/** What the reserve grows by with the second frame, which comes earlier by this: covers timers that fire late. */
const LEAD_AFTER_START_MS = 10;
const STEADY_RESERVE_MS = START_RESERVE_MS + LEAD_AFTER_START_MS;
/** Reserve that is left when a frame has waited for late audio, ms. */
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
  /** Told once if the engine fails; the pacer has stopped then. */
  onFailure(error: unknown): void;
}

/** Runs from `start()` to `close()`: audio and video at 25 frames a second, silence while nothing is spoken. */
export class FramePacer {
  readonly #options: FramePacerOptions;
  readonly #heard: HeardEvents;
  readonly #clock = new FrameClock({
    catchUpLimitMs: HOP_MS + STEADY_RESERVE_MS,
    leadAfterWakeMs: LEAD_AFTER_START_MS,
  });
  /** Zeros, as many as are ever queued at once. */
  readonly #zeros: Int16Array;
  #state: PacerState = "new";
  /** Queued speech that the last clear dropped, ms: the segment that was cut off was heard that much less far than it
   *  had played. */
  #unheardMs = 0;
  /** Resolves when the room has taken all audio handed to it. */
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

  /** To be called whenever the engine has been given audio. The first audio of an utterance does not wait for the next
   *  frame. */
  audioArrived(): void {
    const isWaitedFor = this.#state === "silent" || this.#state === "cleared" || this.#state === "holding";
    if (isWaitedFor && this.#options.engine.readiness() === "ready") this.#clock.wake();
  }

  /** Empties engine and audio queue at once and goes on with silence: without it, listeners would hear their decoders
   *  conceal a gap. Returns the ids of the segments cut off. */
  clear(): string[] {
    const { engine, tracks } = this.#options;
    if (this.#state === "closed" || this.#state === "new") return [];
    this.#heard.queueCleared();
    const cutOff = engine.clear();
    // A second clear finds nothing but silence in the queue.
    if (this.#state !== "cleared") {
      this.#unheardMs = tracks.queuedAudioMs;
      this.#enter("cleared");
    }
    tracks.clearAudio();
    this.#queueSilence(HOP_MS + STEADY_RESERVE_MS);
    // The next frame brings the reports of what was cut off.
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
      // The audio that woke the clock during the frame is already on its way.
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

  /** An utterance whose next audio is late gets as much time as the reserve allows, before silence must stand in for
   *  it. */
  async #holdForLateAudio(): Promise<void> {
    const { engine, tracks } = this.#options;
    if (this.#state !== "speaking" || engine.readiness() !== "waiting") return;
    this.#enter("holding");
    await this.#clock.hold(tracks.queuedAudioMs - LAST_RESERVE_MS);
    if (this.#isHolding) this.#enter("speaking");
  }

  /** Read through a getter: `clear` and `close` may have changed the state during a wait, which the compiler cannot
   *  see. */
  get #isHolding(): boolean {
    return this.#state === "holding";
  }

  /** Queues the audio of a frame and reports its events. Audio that was heard before a clear must not be played. */
  #playAudio({ audio, isSpeaking, speechMs, events }: EngineAudio): void {
    const { engine, metrics } = this.#options;
    const isStale = this.#state === "cleared";
    const wasSpeaking = this.#state === "speaking";
    if (isStale) this.#unheardMs += speechMs;
    else if (isSpeaking !== wasSpeaking) this.#enter(isSpeaking ? "speaking" : "silent");
    if (wasSpeaking && !isSpeaking && engine.readiness() === "waiting") metrics.countStarvation();
    let queuedMs = this.#options.tracks.queuedAudioMs;
    // A clear has just queued silence for longer than this frame.
    if (!isStale && isSpeaking) queuedMs = this.#queueSpeech(audio, wasSpeaking);
    else if (!isStale) this.#queuePause(audio, queuedMs);
    if (!isSpeaking && !wasSpeaking) this.#clock.stretch();
    for (const event of events) {
      if (isStale) this.#reportStale(event);
      else this.#report(event, queuedMs, speechMs);
    }
  }

  /** Returns the audio queued before it, ms. */
  #queueSpeech(audio: Int16Array, isContinued: boolean): number {
    const { tracks, metrics } = this.#options;
    const queuedMs = tracks.queuedAudioMs;
    if (isContinued && queuedMs > 0) {
      this.#queue(audio);
      return queuedMs;
    }
    if (isContinued) metrics.countAudioGap();
    // The silence still queued is not worth waiting for.
    tracks.clearAudio();
    this.#queueSilence(START_RESERVE_MS);
    this.#queue(audio);
    return START_RESERVE_MS;
  }

  /** Queues a frame without speech, shorter or longer than 40 ms, so that the queue returns to its steady length. What
   *  is left out is silence: a voice may fade away at the beginning of the frame only. */
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
      if (this.#isOpen) logger.warn({ err: error }, "audio not taken by the room");
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
      // A segment without audio finishes in passing: the audio of the frame is another's.
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
    // Segments play one after the other: at most one of those that were cut off had begun to play.
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
