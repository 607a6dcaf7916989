// Drives the engine at the pace of one clock and hands each hop's sound and picture to the room.
import type { Logger } from "../../shared/log.ts";
import { HOP_MS } from "../../shared/units.ts";
import type { Engine, EngineEvent } from "../../src/engine/engine.ts";
import type { AvatarTracks } from "../room/avatar-tracks.ts";
import { HeardEvents, type HeardListener } from "./heard-events.ts";
import { HopClock } from "./hop-clock.ts";
import type { PlayoutMetrics } from "./playout-metrics.ts";

/** Sound kept queued beyond the hop that plays, ms: covers the time a hop takes to compute (5 to 15) and timers that fire late. Each
 *  ms of it is a ms of latency. */
const SOUND_RESERVE_MS = 20;
/** Queued sound beyond the reserve that is let be; more is shortened while nobody speaks. */
const RESERVE_TOLERANCE_MS = 15;

export interface PlayoutOptions {
  engine: Engine;
  tracks: AvatarTracks;
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

  /** Empties engine and sound queue at once and goes on with silence: without it listeners would hear their decoders conceal a
   *  gap. Returns the ids of the segments cut off. */
  clear(): string[] {
    const { engine, tracks } = this.#options;
    this.#clearCount++;
    this.#heard.queueCleared();
    const cutOff = engine.clear();
    if (cutOff.length > 0) this.#droppedMs = tracks.queuedAudioMs;
    tracks.clearSound();
    this.#queueSound(this.#silence(HOP_MS + SOUND_RESERVE_MS));
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
    const clock = new HopClock({ catchUpLimitMs: HOP_MS + SOUND_RESERVE_MS });
    this.#queueSound(this.#silence(SOUND_RESERVE_MS));
    while (!this.#isClosed) {
      const beat = await clock.next();
      const startMs = performance.now();
      const clearCount = this.#clearCount;
      const tick = await engine.tick();
      await this.#soundTurn;
      if (this.#isClosed) return;
      const isStale = clearCount !== this.#clearCount;
      if (isStale && tick.isSpeaking) this.#droppedMs += HOP_MS;
      const queuedMs = this.#playSound(isStale ? this.#silence(HOP_MS) : tick.audio, tick.isSpeaking && !isStale);
      tracks.showPicture(tick.videoFrame, BigInt(Math.round(beat.dueMs * 1000)));
      for (const event of tick.events) this.#tell(event, queuedMs);
      metrics.countHop(beat.lateMs, beat.skippedHops, performance.now() - startMs);
    }
  }

  /** Queues the sound of a hop behind the reserve; returns the sound queued before it, ms. */
  #playSound(audio: Int16Array, isSpeaking: boolean): number {
    const { tracks, metrics, engine } = this.#options;
    const queuedMs = tracks.queuedAudioMs;
    if (queuedMs <= 0) {
      metrics.countAudioGap();
      this.#queueSound(this.#silence(SOUND_RESERVE_MS));
      this.#queueSound(audio);
      return SOUND_RESERVE_MS;
    }
    const excessMs = queuedMs - SOUND_RESERVE_MS;
    if (!isSpeaking && excessMs > RESERVE_TOLERANCE_MS) {
      const keptSamples = Math.round(((HOP_MS - Math.min(HOP_MS, excessMs)) / 1000) * engine.sampleRateHz);
      this.#queueSound(audio.subarray(0, keptSamples));
    } else {
      this.#queueSound(audio);
    }
    return queuedMs;
  }

  #queueSound(samples: Int16Array): void {
    if (samples.length === 0) return;
    const { tracks, logger } = this.#options;
    const turn = tracks.queueSound(samples).catch((error) => {
      if (!this.#isClosed) logger.warn({ error: String(error) }, "sound not taken by the room");
    });
    this.#soundTurn = Promise.all([this.#soundTurn, turn]).then(() => undefined);
  }

  #tell(event: EngineEvent, queuedMs: number): void {
    if (event.type === "segment-started") {
      this.#heard.started(event.segmentId, queuedMs);
    } else if (event.interrupted) {
      this.#heard.interrupted(event.segmentId, Math.max(0, event.positionMs - this.#droppedMs));
      this.#droppedMs = 0;
    } else {
      // The last hop is filled up with silence, which belongs to nobody.
      const lastHopMs = event.positionMs > 0 ? event.positionMs % HOP_MS || HOP_MS : 0;
      this.#heard.finished(event.segmentId, event.positionMs, queuedMs + lastHopMs);
    }
  }

  #silence(durationMs: number): Int16Array {
    return new Int16Array(Math.round((durationMs / 1000) * this.#options.engine.sampleRateHz));
  }
}
