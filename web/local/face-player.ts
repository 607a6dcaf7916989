// Plays an engine in a tab: every 40 ms step is computed a little ahead, its audio is put on the sound card's clock,
// and its frame is shown when that clock gets there. So audio and frame cannot drift apart.
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import type { Engine, EngineTick, I420Frame, SegmentInput } from "../../src/browser.ts";
import { FrameCanvas } from "./frame-canvas.ts";
import { PlayClock } from "./play-clock.ts";

/** Steps are computed this far ahead of the clock: enough to bridge a slow frame, little enough that the microphone
 *  feels live. */
const LEAD_S = 0.24;
const STEP_S = 1 / FRAME_RATE_FPS;
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

export interface FacePlayerOptions {
  /** Stays the caller's. */
  engine: Engine;
  /** Stays the caller's. Runs at the engine's rate. */
  audio: AudioContext;
  canvas: HTMLCanvasElement;
  /** Called once a second. */
  onMetrics: (metrics: Metrics) => void;
  /** Called once if a step fails; nothing moves from then on. */
  onFailure: () => void;
}

interface DueFrame {
  frame: I420Frame;
  atS: number;
}

export class FacePlayer {
  readonly #options: FacePlayerOptions;
  readonly #clock: PlayClock;
  readonly #canvas: FrameCanvas;
  #due: DueFrame[] = [];
  /** Frames that were shown; their memory is used again. */
  #spare: I420Frame[] = [];
  #playing = new Set<AudioBufferSourceNode>();
  /** When the next step plays. */
  #nextS = 0;
  #isMuted = false;
  #onSpoken: (() => void) | undefined;
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
      if (!this.#isClosed) this.#options.onFailure();
    });
    requestAnimationFrame(this.#showDue);
  }

  /** Says audio (mono int16 at the engine's rate); `onSpoken` when all of it has left, not if it is cut off. */
  speak(samples: Int16Array, onSpoken: () => void): void {
    const segment = this.#openSegment(false);
    segment.push(samples);
    segment.end();
    this.#onSpoken = onSpoken;
  }

  /** Opens a segment that moves the face without being heard: the speaker hears themselves already. */
  mimic(): SegmentInput {
    return this.#openSegment(true);
  }

  /** Stops speech at once. */
  clear(): void {
    this.#onSpoken = undefined;
    this.#options.engine.clear();
    for (const source of this.#playing) source.stop();
    this.#playing.clear();
  }

  /** Stops moving; resolves when the engine is no longer used. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.clear();
    await this.#running;
  }

  #openSegment(isMuted: boolean): SegmentInput {
    this.#isMuted = isMuted;
    this.#segments += 1;
    return this.#options.engine.openSegment(`segment-${this.#segments}`, this.#options.engine.sampleRateHz);
  }

  async #run(): Promise<void> {
    let metricsAtMs = performance.now();
    let before = this.#counted();
    while (!this.#isClosed) {
      await this.#clock.waitUntil(this.#nextS - LEAD_S, LEAD_S);
      this.#catchUp();
      const tick = await this.#options.engine.tick();
      this.#playAudio(tick);
      this.#keepFrame(tick);
      this.#nextS += STEP_S;
      const sinceS = (performance.now() - metricsAtMs) / 1000;
      if (sinceS >= METRICS_EVERY_S) {
        const now = this.#counted();
        const ticks = now.ticks - before.ticks;
        this.#options.onMetrics({
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

  /** Begins anew ahead of the clock if it has overtaken the steps, or jumped. Nothing is skipped: what is late plays
   *  later. */
  #catchUp(): void {
    const nowS = this.#clock.nowS();
    const aheadS = this.#nextS - nowS;
    if (aheadS >= 0 && aheadS <= 2 * LEAD_S) return;
    if (aheadS < 0 && aheadS > -METRICS_EVERY_S) this.#lateSteps += 1;
    this.#nextS = nowS + LEAD_S / 2;
    this.#spare.push(...this.#due.map(({ frame }) => frame));
    this.#due = [];
  }

  #playAudio({ audio, isSpeaking, events }: EngineTick): void {
    if (events.some((event) => event.type === "segment-finished" && !event.interrupted)) {
      this.#onSpoken?.();
      this.#onSpoken = undefined;
    }
    if (!isSpeaking || this.#isMuted || !this.#clock.isRunning) return;
    const context = this.#options.audio;
    const buffer = context.createBuffer(1, audio.length, context.sampleRate);
    buffer.copyToChannel(
      Float32Array.from(audio, (sample) => sample / 32_768),
      0,
    );
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(context.destination);
    source.addEventListener("ended", () => this.#playing.delete(source));
    this.#playing.add(source);
    source.start(this.#nextS);
  }

  #keepFrame({ videoFrame }: EngineTick): void {
    const frame = this.#spare.pop() ?? { ...videoFrame, data: new Uint8Array(videoFrame.data.length) };
    frame.data.set(videoFrame.data);
    this.#due.push({ frame, atS: this.#nextS });
  }

  #showDue = (): void => {
    if (this.#isClosed) return;
    const heardS = this.#clock.heardS();
    let latest: I420Frame | undefined;
    while (this.#due.length > 0 && this.#due[0].atS <= heardS) {
      if (latest) this.#spare.push(latest);
      latest = this.#due.shift()?.frame;
    }
    if (latest) {
      this.#canvas.show(latest);
      this.#spare.push(latest);
      this.#shown += 1;
    }
    requestAnimationFrame(this.#showDue);
  };

  #counted() {
    return { ...this.#options.engine.stats(), shown: this.#shown };
  }
}
