// Keeps the room's audio queue filled with the engine's audio, whatever the video does. It has no clock of its own: the
// length of the queue says when the next 40 ms are due.
//
//   new       nothing plays yet                  → silent (`start`), closed
//   silent    the last step held no speech       → speaking, closed
//   speaking  the last step held speech          → silent, closed
//   closed    the step in progress is the last   (final)

import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { HOP_MS } from "../../shared/units.ts";
import type { Engine, EngineAudio, EngineEvent, FrameInput } from "../../src/face/engine/engine.ts";
import type { RoomLog } from "../room-log.ts";
import type { HeardEvents } from "./heard-events.ts";
import type { OutputTracks } from "./output-tracks.ts";
import type { PlayoutMetrics } from "./playout-metrics.ts";
import type { SpeechTap } from "./speech-tap.ts";
import type { StartReserve } from "./start-reserve.ts";

/** Speech is queued up to this length, ms, as far as it has arrived. Stalls of the process that are shorter are not
 *  heard. It adds no latency: an interruption empties the queue, and a real-time sender's audio does not fill it. */
const SPEECH_QUEUE_MS = 200;
/** The same while viewers render the face, so that more of its frames are known ahead and share a packet, and
 *  while none needs video, so that the process wakes less often. */
const LONG_QUEUE_MS = 600;
/** While no viewer needs video, the long queue is filled again when it is this short, ms: of speech, of silence. About
 *  ten frames of speech then share a packet of motion. */
const REFILL_MS = 400;
const SILENCE_REFILL_MS = 100;
/** Silence is appended when the queue is shorter than this, ms. Less than for speech, because the speech before the
 *  silence has to be played before new speech may replace the silence. */
const SILENCE_DUE_MS = 60;
/** Audio of several steps is handed over at once, unless less than this is queued, ms. */
const SAFE_MS = 80;
/** Audio left when late audio of a sender is no longer waited for, ms. */
const LAST_RESERVE_MS = 12;

type AudioPacerState = "new" | "silent" | "speaking" | "closed";

const MOVES = defineMoves<AudioPacerState>({
  new: ["silent", "closed"],
  silent: ["speaking", "closed"],
  speaking: ["silent", "closed"],
  closed: [],
});

export interface AudioPacerOptions {
  engine: Engine;
  tracks: OutputTracks;
  metrics: PlayoutMetrics;
  logger: RoomLog;
  heard: HeardEvents;
  /** Gets the speech that is queued. Default: nothing does. */
  tap?: SpeechTap;
  /** What the engine keeps back: its `pacedEngine` was made with it. */
  reserve: Pick<StartReserve, "ranDry">;
  /** Says whether viewers render the face. Default: none does. */
  motion?: { readonly isNeeded: boolean };
  /** Says whether a viewer needs video. Default: always. */
  watch?: { readonly needsVideo: boolean };
  /** The audio of a step was queued and leaves the queue `leavesInMs` from now. */
  onQueued(frameInput: FrameInput, leavesInMs: number): void;
  /** Queued audio was dropped; steps without their audio need no video frame. */
  onDropped(): void;
  onFailure(error: unknown): void;
}

export class AudioPacer {
  readonly #options: AudioPacerOptions;
  /** Silence that follows a clear. */
  readonly #zeros: Int16Array;
  readonly #state = new StateMachine(MOVES, "new");
  #queueing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Incremented by every clear. Audio that the engine returned before it is stale. */
  #epoch = 0;
  /** When the last queued speech leaves the queue, ms. */
  #speechLeavesAtMs = 0;
  /** Audio that is handed over with that of the next step: the first `#heldSamples` of it. */
  readonly #held: Int16Array;
  #heldSamples = 0;

  constructor(options: AudioPacerOptions) {
    this.#options = options;
    this.#zeros = new Int16Array(this.#samplesIn(SILENCE_DUE_MS));
    this.#held = new Int16Array(this.#samplesIn(LONG_QUEUE_MS));
  }

  /** Starts with silence. Once. */
  start(): void {
    this.#state.enter("silent");
    void this.queueDueAudio();
  }

  /** Speech in the queue, ms; Infinity during silence. */
  get queuedSpeechMs(): number {
    return this.#state.is("speaking") ? this.#queuedMs : Number.POSITIVE_INFINITY;
  }

  /** Queues all audio that is due. Never rejects. */
  async queueDueAudio(): Promise<void> {
    if (this.#queueing) return this.#queueing;
    if (!this.#isOpen) return;
    if (this.#waitMs(this.#levels().refillMs) <= 0) {
      this.#queueing = this.#stepWhileDue().catch((error) => {
        if (this.#isOpen) this.#options.onFailure(error);
      });
      await this.#queueing;
      this.#queueing = undefined;
    }
    this.#schedule();
  }

  /** Empties engine and queue and goes on with silence; without it, the decoders of the listeners would conceal the gap
   *  audibly. Returns the ids of the interrupted segments. */
  clear(): string[] {
    const { engine, heard, tap, onDropped } = this.#options;
    if (this.#state.is("closed", "new")) return [];
    heard.queueCleared();
    const cutOff = engine.clear();
    this.#epoch += 1;
    this.#speechLeavesAtMs = 0;
    if (this.#state.is("speaking")) this.#state.enter("silent");
    this.#dropQueued();
    tap?.cleared(performance.now());
    onDropped();
    this.#hold(this.#zeros);
    this.#handOver();
    // The events of the interrupted segments come with the next step.
    void this.queueDueAudio();
    return cutOff;
  }

  /** Stops after the step in progress. Idempotent. */
  async close(): Promise<void> {
    if (this.#isOpen) this.#state.enter("closed");
    clearTimeout(this.#timer);
    await this.#queueing;
  }

  get #isOpen(): boolean {
    return !this.#state.is("closed");
  }

  async #stepWhileDue(): Promise<void> {
    const isDue = () => this.#isOpen && this.#waitMs(this.#levels().fullMs) <= 0;
    try {
      while (isDue()) {
        await this.#options.engine.prepare();
        // Delayed audio may have been shortened to less than a step, which is no underrun.
        if (isDue()) await this.#step();
        if (this.#options.tracks.queuedAudioMs < SAFE_MS) this.#handOver();
      }
    } finally {
      this.#handOver();
    }
  }

  /** Waits by a timer until the queue is short enough for the next step. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#isOpen) return;
    this.#timer = setTimeout(() => void this.queueDueAudio(), Math.max(1, this.#waitMs(this.#levels().refillMs)));
  }

  /** Audio in the queue and held, ms. */
  get #queuedMs(): number {
    return this.#options.tracks.queuedAudioMs + (this.#heldSamples * 1000) / this.#options.engine.sampleRateHz;
  }

  /** Whether nothing but silence is queued: speech takes its place. */
  get #isSilent(): boolean {
    return this.#state.is("silent") && this.#speechLeavesAtMs <= performance.now();
  }

  /** Lengths of the queue, ms: at the first, it is filled until it is longer than the second. */
  #levels(): { refillMs: number; fullMs: number } {
    const { engine, motion, watch } = this.#options;
    const isUnseen = watch?.needsVideo === false;
    const both = (ms: number) => ({ refillMs: ms, fullMs: ms });
    switch (engine.readiness()) {
      case "ready": {
        if (this.#isSilent) return both(Number.POSITIVE_INFINITY);
        const fullMs = (isUnseen || motion?.isNeeded ? LONG_QUEUE_MS : SPEECH_QUEUE_MS) - HOP_MS;
        return { refillMs: isUnseen ? REFILL_MS : fullMs, fullMs };
      }
      case "waiting":
        return both(this.#state.is("speaking") ? LAST_RESERVE_MS : SILENCE_DUE_MS);
      case "idle":
        if (!isUnseen || !this.#isSilent) return both(SILENCE_DUE_MS);
        return { refillMs: SILENCE_REFILL_MS, fullMs: LONG_QUEUE_MS - HOP_MS };
    }
  }

  /** Time until the queue is as short as this, ms; at most 0 if it is. */
  #waitMs(levelMs: number): number {
    return this.#queuedMs - levelMs;
  }

  async #step(): Promise<void> {
    const { engine } = this.#options;
    const epoch = this.#epoch;
    // Silence that speech takes the place of does not delay it.
    const audio = await engine.nextAudio(this.#isSilent ? 0 : this.#queuedMs);
    if (!this.#isOpen) return;
    if (epoch === this.#epoch) this.#play(audio);
    else for (const event of audio.events) this.#reportStale(event);
  }

  #play({ audio, isSpeaking, speechMs, segmentId, positionMs, events, frameInput }: EngineAudio): void {
    const { metrics, heard, reserve, tap, onQueued } = this.#options;
    if (isSpeaking) this.#delaySilence();
    else if (this.#state.is("speaking")) {
      if (frameInput.isStarved) {
        metrics.countStarvation();
        reserve.ranDry();
      }
      this.#state.enter("silent");
    }
    const leavesInMs = this.#queuedMs;
    this.#hold(audio);
    if (segmentId !== null) {
      tap?.played(audio, performance.now() + leavesInMs);
      this.#speechLeavesAtMs = performance.now() + leavesInMs + speechMs;
      heard.queued(segmentId, { fromMs: positionMs, untilMs: positionMs + speechMs, inMs: leavesInMs });
    }
    for (const event of events) this.#report(event, leavesInMs, speechMs);
    onQueued(frameInput, leavesInMs);
  }

  /** Speech does not wait behind silence that is still queued, unless other speech is queued before it. */
  #delaySilence(): void {
    const { metrics, reserve, onDropped } = this.#options;
    const isContinued = this.#state.is("speaking");
    if (isContinued) metrics.countReserve(this.#queuedMs);
    else this.#state.enter("speaking");
    if (isContinued ? this.#queuedMs > 0 : this.#speechLeavesAtMs > performance.now()) return;
    if (isContinued) {
      metrics.countAudioGap();
      reserve.ranDry();
    } else onDropped();
    this.#dropQueued();
  }

  #dropQueued(): void {
    this.#heldSamples = 0;
    this.#options.tracks.clearAudio();
  }

  /** Audio that the queue gets with that of the steps after it. */
  #hold(samples: Int16Array): void {
    if (this.#heldSamples + samples.length > this.#held.length) this.#handOver();
    this.#held.set(samples, this.#heldSamples);
    this.#heldSamples += samples.length;
  }

  #handOver(): void {
    if (this.#heldSamples === 0) return;
    const { tracks, logger } = this.#options;
    const samples = this.#held.subarray(0, this.#heldSamples);
    this.#heldSamples = 0;
    tracks.queueAudio(samples).catch((error) => {
      if (this.#isOpen) logger.warn({ err: error }, "audio refused by the room");
    });
  }

  #report(event: EngineEvent, leavesInMs: number, speechMs: number): void {
    const { heard } = this.#options;
    if (event.type === "segment-started") heard.started(event.segmentId, leavesInMs);
    else if (event.interrupted) heard.interrupted(event.segmentId);
    // A segment without audio finishes here, too; the audio of the step belongs to another segment.
    else heard.finished(event.segmentId, event.positionMs, leavesInMs + (event.positionMs > 0 ? speechMs : 0));
  }

  /** Events of a step that is not played. A segment that only starts in it is reported as interrupted by the next step;
   *  one that finishes in it is interrupted, too. */
  #reportStale(event: EngineEvent): void {
    if (event.type === "segment-finished") this.#options.heard.interrupted(event.segmentId);
  }

  #samplesIn(durationMs: number): number {
    return Math.round((durationMs / 1000) * this.#options.engine.sampleRateHz);
  }
}
