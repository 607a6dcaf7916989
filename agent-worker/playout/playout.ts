// Drives the engine at the pace of one clock and hands each hop's sound and picture to the room.
import type { Logger } from "../../shared/log.ts";
import { HOP_MS } from "../../shared/units.ts";
import type { Engine, EngineEvent, EngineSound } from "../../src/engine/engine.ts";
import { HeardEvents, type HeardListener } from "./heard-events.ts";
import { HopClock } from "./hop-clock.ts";
import type { OutputTracks } from "./output-tracks.ts";
import type { PlayoutMetrics } from "./playout-metrics.ts";

/** Silence queued before the first sound of an utterance, ms: the source takes sound 10 ms at a time. Each ms is a ms of latency. */
const START_RESERVE_MS = 10;
/** What the reserve grows by with the second hop, which comes so much early: covers timers that fire late. */
const LEAD_AFTER_START_MS = 10;
const STEADY_RESERVE_MS = START_RESERVE_MS + LEAD_AFTER_START_MS;
/** Reserve that is left when a hop has waited for late sound, ms. */
const LAST_RESERVE_MS = 5;

export interface PlayoutOptions {
  engine: Engine;
  tracks: OutputTracks;
  metrics: PlayoutMetrics;
  logger: Logger;
  listener: HeardListener;
  /** Told once if the engine fails; the playout has stopped then. */
  onFailure(error: unknown): void;
}

/** Plays from `start()` to `close()`: pictures and sound at 25 hops a second, silence while nothing is spoken. */
export class Playout {
  readonly #options: PlayoutOptions;
  readonly #heard: HeardEvents;
  /** Counts clears: a hop computed across one holds sound that must not be heard. */
  #clearCount = 0;
  /** Sound of the interrupted segment that was dropped unheard; its position is less by so much. */
  #droppedMs = 0;
  #soundTurn: Promise<void> = Promise.resolve();
  /** The last hop held sound of a segment. */
  #isSpeaking = false;
  /** The hop that is due waits a moment for late sound. */
  #isHolding = false;
  readonly #clock = new HopClock({
    catchUpLimitMs: HOP_MS + STEADY_RESERVE_MS,
    leadAfterWakeMs: LEAD_AFTER_START_MS,
  });
  #loop: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PlayoutOptions) {
    this.#options = options;
    this.#heard = new HeardEvents(options.listener);
  }

  start(): void {
    this.#loop ??= this.#run().catch((error) => {
      if (!this.#isClosed) this.#options.onFailure(error);
    });
  }

  /** To be called whenever the engine has been given sound. The first sound of an utterance does not wait for the next beat. */
  soundArrived(): void {
    if (this.#options.engine.readiness() === "ready" && (!this.#isSpeaking || this.#isHolding)) this.#clock.wake();
  }

  /** Empties engine and sound queue at once and goes on with silence: without it listeners would hear their decoders conceal a
   *  gap. Returns the ids of the segments cut off. */
  clear(): string[] {
    const { engine, tracks } = this.#options;
    this.#clearCount++;
    this.#heard.queueCleared();
    const cutOff = engine.clear();
    if (cutOff.length > 0) this.#droppedMs = tracks.queuedAudioMs;
    tracks.clearSound();
    this.#queueSound(this.#silence(HOP_MS + STEADY_RESERVE_MS));
    // The next hop brings the reports of what was cut off.
    if (cutOff.length > 0) this.#clock.wake();
    return cutOff;
  }

  /** Stops after the hop in progress. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#heard.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { engine, tracks, metrics } = this.#options;
    this.#queueSound(this.#silence(STEADY_RESERVE_MS));
    while (!this.#isClosed) {
      const beat = await this.#clock.next();
      await this.#holdForLateSound();
      if (this.#isClosed) return;
      const startMs = performance.now();
      const clearCount = this.#clearCount;
      const tick = await engine.tick((sound) => this.#playSound(sound, clearCount));
      // The sound that woke the clock during the hop is already on its way.
      if (this.#isSpeaking) this.#clock.forgetWake();
      await this.#soundTurn;
      if (this.#isClosed) return;
      tracks.showPicture(tick.videoFrame, BigInt(Math.round(beat.dueMs * 1000)));
      metrics.countHop(beat.lateMs, beat.skippedHops, performance.now() - startMs);
    }
  }

  /** An utterance whose next sound is late gets as much time as the reserve allows, before silence must stand in for it. */
  async #holdForLateSound(): Promise<void> {
    const { engine, tracks } = this.#options;
    if (!this.#isSpeaking || engine.readiness() !== "waiting") return;
    this.#isHolding = true;
    await this.#clock.hold(tracks.queuedAudioMs - LAST_RESERVE_MS);
    this.#isHolding = false;
  }

  /** Queues the sound of a hop and tells its events. A hop computed across a clear holds sound that must not be heard. */
  #playSound({ audio, isSpeaking, speechMs, events }: EngineSound, clearCount: number): void {
    const { engine, metrics } = this.#options;
    const isStale = clearCount !== this.#clearCount;
    if (isStale && isSpeaking) this.#droppedMs += HOP_MS;
    const wasSpeaking = this.#isSpeaking;
    this.#isSpeaking = isSpeaking && !isStale;
    if (wasSpeaking && !isSpeaking && engine.readiness() === "waiting") metrics.countStarvation();
    const queuedMs = this.#isSpeaking
      ? this.#queueSpeech(audio, wasSpeaking)
      : this.#queueSilence(isStale ? this.#silence(HOP_MS) : audio);
    if (!this.#isSpeaking && !wasSpeaking) this.#clock.stretch();
    for (const event of events) this.#tell(event, queuedMs, speechMs);
  }

  /** Returns the sound queued before it, ms. */
  #queueSpeech(audio: Int16Array, isContinued: boolean): number {
    const { tracks, metrics } = this.#options;
    const queuedMs = tracks.queuedAudioMs;
    if (isContinued && queuedMs > 0) {
      this.#queueSound(audio);
      return queuedMs;
    }
    if (isContinued) metrics.countAudioGap();
    // The silence still queued is not worth waiting for.
    tracks.clearSound();
    this.#queueSound(this.#silence(START_RESERVE_MS));
    this.#queueSound(audio);
    return START_RESERVE_MS;
  }

  /** Returns the sound queued before it, ms. Leaves out what brings the queue back to its steady length, unheard: silence, but that a voice
   *  may fade away at its beginning. */
  #queueSilence(audio: Int16Array): number {
    const queuedMs = this.#options.tracks.queuedAudioMs;
    const excessMs = queuedMs - STEADY_RESERVE_MS;
    const keptMs = Math.max(0, Math.round(HOP_MS - excessMs));
    this.#queueSound(audio.slice(0, (keptMs * this.#options.engine.sampleRateHz) / 1000));
    this.#queueSound(this.#silence(Math.max(0, keptMs - HOP_MS)));
    return queuedMs;
  }

  #queueSound(samples: Int16Array): void {
    if (samples.length === 0) return;
    const { tracks, logger } = this.#options;
    const turn = tracks.queueSound(samples).catch((error) => {
      if (!this.#isClosed) logger.warn({ err: error }, "sound not taken by the room");
    });
    this.#soundTurn = Promise.all([this.#soundTurn, turn]).then(() => undefined);
  }

  #tell(event: EngineEvent, queuedMs: number, speechMs: number): void {
    if (event.type === "segment-started") {
      this.#heard.started(event.segmentId, queuedMs);
    } else if (event.interrupted) {
      this.#heard.interrupted(event.segmentId, Math.max(0, event.positionMs - this.#droppedMs));
      this.#droppedMs = 0;
    } else {
      // A segment without sound finishes in passing: the sound of the hop is another's.
      this.#heard.finished(event.segmentId, event.positionMs, queuedMs + (event.positionMs > 0 ? speechMs : 0));
    }
  }

  #silence(durationMs: number): Int16Array {
    return new Int16Array(Math.round((durationMs / 1000) * this.#options.engine.sampleRateHz));
  }
}
