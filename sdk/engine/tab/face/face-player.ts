// Plays a face in a tab: every 40 ms step is computed a little ahead, its audio is put on the sound card's clock,
// and its frame is shown when that clock gets there. So audio and frame cannot drift apart.
import { FRAME_RATE_FPS } from "../../../../shared/units.ts";
import type { SegmentInput } from "../../../../src/face/engine/engine.ts";
import { toFloatSamples } from "../../../../src/signal/audio/samples.ts";
import { audioLevel } from "./audio-level.ts";
import type { FaceSteps, Picture } from "./face-steps.ts";
import { FrameCanvas } from "./frame-canvas.ts";
import { PlayClock } from "./play-clock.ts";

/** Steps are computed this far ahead of the clock: enough to bridge a slow frame. */
const LEAD_S = 0.24;
/** The same while the face follows someone who speaks now: every millisecond is heard as delay. */
const LIVE_LEAD_S = 0.12;
const STEP_S = 1 / FRAME_RATE_FPS;
/** Most frames that wait to be shown; a hidden tab shows none. */
const DUE_LIMIT = 2 * LEAD_S * FRAME_RATE_FPS;
const METRICS_EVERY_S = 1;

/** Statistics of the last second. */
export interface Metrics {
  /** Frames shown a second. */
  fps: number;
  /** Mean wall-clock ms per frame. */
  renderMs: number;
  /** Mean wall-clock ms of a frame's lip sync. */
  lipSyncMs: number;
  /** Steps since the start that were late and postponed. */
  lateSteps: number;
}

export interface PlayerEvents {
  /** Called once a second. */
  onMetrics?(metrics: Metrics): void;
  /** Called with every frame while it is shown: the level of the audio that is heard with it, 0 to 1. */
  onLevel?(level: number): void;
  /** Called once if a step fails; nothing moves from then on. */
  onFailure?(): void;
}

/** What becomes of a segment that is heard. */
export interface SpeechEvents {
  /** All of it was heard; not called if it is cut off. */
  onSpoken?(): void;
  /** Another 40 ms of it were given to the sound card. */
  onPlayed?(): void;
}

export interface FacePlayerOptions extends PlayerEvents {
  /** Stays the caller's. */
  steps: FaceSteps;
  /** Stays the caller's. Runs at the rate of the steps. */
  audio: AudioContext;
  canvas: HTMLCanvasElement;
}

interface DueFrame {
  picture: Picture;
  atS: number;
  level: number;
  /** The segments that end with this frame. */
  ending: SpeechEvents[];
}

export class FacePlayer {
  /** True while the face follows someone who speaks now. */
  isLive = false;
  readonly #options: FacePlayerOptions;
  readonly #clock: PlayClock;
  readonly #canvas: FrameCanvas;
  #due: DueFrame[] = [];
  /** Frames that were shown; their memory is used again. */
  #spare: Picture[] = [];
  #playing = new Set<AudioBufferSourceNode>();
  /** When the next step plays. */
  #nextS = 0;
  /** Segments that are heard. */
  readonly #heard = new Map<string, SpeechEvents>();
  #segments = 0;
  #shown = 0;
  #lateSteps = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FacePlayerOptions) {
    this.#options = options;
    this.#clock = new PlayClock(options.audio);
    this.#canvas = new FrameCanvas(options.canvas);
  }

  /** Begins to move. Once. */
  start(): void {
    this.#running ??= this.#run().catch(() => {
      if (!this.#isClosed) this.#options.onFailure?.();
    });
    requestAnimationFrame(this.#showDue);
  }

  /** Opens a segment that is heard, as soon as the browser lets audio play. */
  speech(events: SpeechEvents = {}, sampleRateHz?: number): SegmentInput {
    const segment = this.mimic(sampleRateHz);
    this.#heard.set(segment.segmentId, events);
    return segment;
  }

  /** Opens a segment that moves the face without being heard: the speaker hears themselves already. */
  mimic(sampleRateHz = this.#options.steps.sampleRateHz): SegmentInput {
    this.#segments += 1;
    return this.#options.steps.openSegment(`segment-${this.#segments}`, sampleRateHz);
  }

  /** Stops speech at once. */
  clear(): void {
    this.#heard.clear();
    for (const due of this.#due) due.ending = [];
    this.#options.steps.clear();
    for (const source of this.#playing) source.stop();
    this.#playing.clear();
  }

  /** Stops moving; resolves when the steps are no longer used. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.clear();
    await this.#running;
  }

  get #leadS(): number {
    return this.isLive ? LIVE_LEAD_S : LEAD_S;
  }

  async #run(): Promise<void> {
    let metricsAtMs = performance.now();
    let before = this.#counted();
    while (!this.#isClosed) {
      await this.#untilDue();
      if (this.#isClosed) return;
      this.#catchUp();
      await this.#step();
      this.#nextS += STEP_S;
      const sinceS = (performance.now() - metricsAtMs) / 1000;
      if (sinceS >= METRICS_EVERY_S) {
        const now = this.#counted();
        const ticks = now.ticks - before.ticks;
        this.#options.onMetrics?.({
          fps: (now.shown - before.shown) / sinceS,
          renderMs: (now.renderMs - before.renderMs) / ticks,
          lipSyncMs: (now.lipSyncMs - before.lipSyncMs) / ticks,
          lateSteps: this.#lateSteps,
        });
        metricsAtMs = performance.now();
        before = now;
      }
    }
  }

  /** Waits for the next step, also while the clock stands still; a jump of the clock ends it. */
  async #untilDue(): Promise<void> {
    let aheadS: number;
    do {
      await this.#clock.waitUntil(this.#nextS - this.#leadS, LEAD_S);
      aheadS = this.#nextS - this.#clock.nowS();
    } while (aheadS > this.#leadS && aheadS <= 2 * LEAD_S && !this.#isClosed);
  }

  /** Begins anew ahead of the clock if it has overtaken the steps, or jumped. Nothing is skipped: what is late plays
   *  later. */
  #catchUp(): void {
    const nowS = this.#clock.nowS();
    const aheadS = this.#nextS - nowS;
    if (aheadS >= 0 && aheadS <= 2 * LEAD_S) return;
    if (aheadS < 0 && aheadS > -METRICS_EVERY_S) this.#lateSteps += 1;
    this.#nextS = nowS + this.#leadS / 2;
    while (this.#due.length > 0) this.#takeDue();
  }

  async #step(): Promise<void> {
    // What should be heard waits until it can be.
    const isHeld = this.#heard.size > 0 && !this.#clock.canBeHeard;
    if (this.#due.length >= DUE_LIMIT) this.#takeDue();
    const { picture, audio, segmentId, finished } = await this.#options.steps.step(isHeld, this.#spare.pop());
    // Cut off meanwhile, it is heard no more.
    const heard = segmentId === null ? undefined : this.#heard.get(segmentId);
    if (heard) this.#playAudio(audio);
    heard?.onPlayed?.();
    const ending: SpeechEvents[] = [];
    for (const { segmentId } of finished) {
      // Those that were cut off are not there any more.
      const events = this.#heard.get(segmentId);
      this.#heard.delete(segmentId);
      if (events) ending.push(events);
    }
    this.#due.push({ picture, atS: this.#nextS, level: heard ? audioLevel(audio) : 0, ending });
  }

  #playAudio(audio: Int16Array): void {
    const context = this.#options.audio;
    const buffer = context.createBuffer(1, audio.length, context.sampleRate);
    toFloatSamples(audio, buffer.getChannelData(0));
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(context.destination);
    source.addEventListener("ended", () => this.#playing.delete(source));
    this.#playing.add(source);
    source.start(this.#nextS);
  }

  /** Takes the first frame out of those that wait, and ends what ends with it. */
  #takeDue(): DueFrame {
    const due = this.#due.shift()!;
    this.#spare.push(due.picture);
    for (const { onSpoken } of due.ending) onSpoken?.();
    return due;
  }

  #showDue = (): void => {
    if (this.#isClosed) return;
    const heardS = this.#clock.heardS();
    let latest: DueFrame | undefined;
    while (this.#due.length > 0 && this.#due[0].atS <= heardS) latest = this.#takeDue();
    if (latest) {
      this.#canvas.show(latest.picture);
      this.#shown += 1;
      this.#options.onLevel?.(latest.level);
    }
    requestAnimationFrame(this.#showDue);
  };

  #counted() {
    return { ...this.#options.steps.counters(), shown: this.#shown };
  }
}
