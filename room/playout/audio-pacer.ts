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
/** The same while viewers render the face: more frames of it are known ahead, and share a packet. */
const MOTION_QUEUE_MS = 400;
/** Silence is appended when the queue is shorter than this, ms. Less than for speech, because the speech before the
 *  silence has to be played before new speech may replace the silence. */
const SILENCE_DUE_MS = 60;
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
  /** The audio of a step was queued and leaves the queue `leavesInMs` from now. */
  onQueued(frameInput: FrameInput, leavesInMs: number): void;
  /** Queued audio was dropped; steps without their audio need no video frame. */
  onDropped(): void;
  onFailure(error: unknown): void;
}

export class AudioPacer {
  readonly #options: AudioPacerOptions;
  /** Zeros, of the largest length that is queued at once. */
  readonly #zeros: Int16Array;
  readonly #state = new StateMachine(MOVES, "new");
  #queueing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Incremented by every clear. Audio that the engine returned before it is stale. */
  #epoch = 0;
  /** When the last queued speech leaves the queue, ms. */
  #speechLeavesAtMs = 0;

  constructor(options: AudioPacerOptions) {
    this.#options = options;
    this.#zeros = new Int16Array(this.#samplesIn(SILENCE_DUE_MS));
  }

  /** Starts with silence. Once. */
  start(): void {
    this.#state.enter("silent");
    void this.queueDueAudio();
  }

  /** Speech in the queue, ms; Infinity during silence. */
  get queuedSpeechMs(): number {
    return this.#state.is("speaking") ? this.#options.tracks.queuedAudioMs : Number.POSITIVE_INFINITY;
  }

  /** Queues all audio that is due. Never rejects. */
  async queueDueAudio(): Promise<void> {
    if (this.#queueing) return this.#queueing;
    if (!this.#isOpen) return;
    if (this.#waitMs() <= 0) {
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
    const { engine, tracks, heard, tap, onDropped } = this.#options;
    if (this.#state.is("closed", "new")) return [];
    heard.queueCleared();
    const cutOff = engine.clear();
    this.#epoch += 1;
    this.#speechLeavesAtMs = 0;
    if (this.#state.is("speaking")) this.#state.enter("silent");
    tracks.clearAudio();
    tap?.cleared(performance.now());
    onDropped();
    this.#queueSilence(SILENCE_DUE_MS);
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
    while (this.#isOpen && this.#waitMs() <= 0) {
      await this.#options.engine.prepare();
      // Delayed audio may have been shortened to less than a step, which is no underrun.
      if (this.#isOpen && this.#waitMs() <= 0) await this.#step();
    }
  }

  /** Waits by a timer until the queue is short enough for the next step. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#isOpen) return;
    this.#timer = setTimeout(() => void this.queueDueAudio(), Math.max(1, this.#waitMs()));
  }

  /** Time until the next step is due, ms; at most 0 if it is due now. */
  #waitMs(): number {
    const { engine, tracks } = this.#options;
    const queuedMs = tracks.queuedAudioMs;
    switch (engine.readiness()) {
      case "ready":
        return queuedMs - ((this.#options.motion?.isNeeded ? MOTION_QUEUE_MS : SPEECH_QUEUE_MS) - HOP_MS);
      case "waiting":
        return queuedMs - (this.#state.is("speaking") ? LAST_RESERVE_MS : SILENCE_DUE_MS);
      case "idle":
        return queuedMs - SILENCE_DUE_MS;
    }
  }

  async #step(): Promise<void> {
    const { engine, tracks } = this.#options;
    const epoch = this.#epoch;
    const audio = await engine.nextAudio(tracks.queuedAudioMs);
    if (!this.#isOpen) return;
    if (epoch === this.#epoch) this.#play(audio);
    else for (const event of audio.events) this.#reportStale(event);
  }

  #play({ audio, isSpeaking, speechMs, segmentId, positionMs, events, frameInput }: EngineAudio): void {
    const { tracks, metrics, heard, reserve, tap, onQueued } = this.#options;
    if (isSpeaking) this.#delaySilence();
    else if (this.#state.is("speaking")) {
      if (frameInput.isStarved) {
        metrics.countStarvation();
        reserve.ranDry();
      }
      this.#state.enter("silent");
    }
    const leavesInMs = tracks.queuedAudioMs;
    this.#queue(audio);
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
    const { tracks, metrics, reserve, onDropped } = this.#options;
    const isContinued = this.#state.is("speaking");
    if (isContinued) metrics.countReserve(tracks.queuedAudioMs);
    else this.#state.enter("speaking");
    if (isContinued ? tracks.queuedAudioMs > 0 : this.#speechLeavesAtMs > performance.now()) return;
    if (isContinued) {
      metrics.countAudioGap();
      reserve.ranDry();
    } else onDropped();
    tracks.clearAudio();
  }

  #queueSilence(durationMs: number): void {
    this.#queue(this.#zeros.subarray(0, this.#samplesIn(durationMs)));
  }

  #queue(samples: Int16Array): void {
    const { tracks, logger } = this.#options;
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
