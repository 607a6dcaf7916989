// Plays an engine in a tab: every 40 ms step is computed a little ahead, its audio is put on the sound card's clock,
// and its frame is shown when that clock gets there. So audio and frame cannot drift apart.
import { FRAME_RATE_FPS } from "../../../../shared/units.ts";
import type { Engine, EngineTick, I420Frame, SegmentInput } from "../../../../src/browser.ts";
import { toFloatSamples } from "../../../../src/signal/audio/samples.ts";
import { audioLevel } from "./audio-level.ts";
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
const SILENCE = Object.freeze({ speech: null, isStarved: false });

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

export interface FacePlayerOptions extends PlayerEvents {
  /** Stays the caller's. */
  engine: Engine;
  /** Stays the caller's. Runs at the engine's rate. */
  audio: AudioContext;
  canvas: HTMLCanvasElement;
}

interface DueFrame {
  frame: I420Frame;
  atS: number;
  level: number;
  /** What ends with this frame. */
  onShown: (() => void)[];
}

export class FacePlayer {
  /** True while the face follows someone who speaks now. */
  isLive = false;
  readonly #options: FacePlayerOptions;
  readonly #clock: PlayClock;
  readonly #canvas: FrameCanvas;
  #due: DueFrame[] = [];
  /** Frames that were shown; their memory is used again. */
  #spare: I420Frame[] = [];
  #playing = new Set<AudioBufferSourceNode>();
  /** When the next step plays. */
  #nextS = 0;
  /** Segments that are heard, with what to call when all of one has left. */
  readonly #heard = new Map<string, (() => void) | undefined>();
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

  /** Opens a segment that is heard, as soon as the browser lets audio play. `onSpoken`: all of it was heard; not called
   *  if it is cut off. */
  speech(onSpoken?: () => void): SegmentInput {
    const segment = this.mimic();
    this.#heard.set(segment.segmentId, onSpoken);
    return segment;
  }

  /** Opens a segment that moves the face without being heard: the speaker hears themselves already. */
  mimic(): SegmentInput {
    this.#segments += 1;
    return this.#options.engine.openSegment(`segment-${this.#segments}`, this.#options.engine.sampleRateHz);
  }

  /** Stops speech at once. */
  clear(): void {
    this.#heard.clear();
    for (const due of this.#due) due.onShown = [];
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
    const { engine } = this.#options;
    // What should be heard waits until it can be.
    if (this.#heard.size > 0 && !this.#clock.canBeHeard) {
      this.#keepFrame(await engine.render(SILENCE));
      return;
    }
    const tick = await engine.tick();
    const isHeard = tick.segmentId !== null && this.#heard.has(tick.segmentId);
    if (isHeard) this.#playAudio(tick);
    const onShown: (() => void)[] = [];
    for (const event of tick.events) {
      if (event.type !== "segment-finished") continue;
      const onSpoken = this.#heard.get(event.segmentId);
      this.#heard.delete(event.segmentId);
      if (onSpoken && !event.interrupted) onShown.push(onSpoken);
    }
    this.#keepFrame(tick.videoFrame, isHeard ? audioLevel(tick.audio) : 0, onShown);
  }

  #playAudio({ audio }: EngineTick): void {
    const context = this.#options.audio;
    const buffer = context.createBuffer(1, audio.length, context.sampleRate);
    toFloatSamples(audio, buffer.getChannelData(0));
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(context.destination);
    source.addEventListener("ended", () => this.#playing.delete(source));
    this.#playing.add(source);
    source.start(this.#nextS);
  }

  #keepFrame(videoFrame: I420Frame, level = 0, onShown: DueFrame["onShown"] = []): void {
    if (this.#due.length >= DUE_LIMIT) this.#takeDue();
    const frame = this.#spare.pop() ?? { ...videoFrame, data: new Uint8Array(videoFrame.data.length) };
    frame.data.set(videoFrame.data);
    this.#due.push({ frame, atS: this.#nextS, level, onShown });
  }

  /** Takes the first frame out of those that wait, and ends what ends with it. */
  #takeDue(): DueFrame {
    const due = this.#due.shift()!;
    this.#spare.push(due.frame);
    for (const end of due.onShown) end();
    return due;
  }

  #showDue = (): void => {
    if (this.#isClosed) return;
    const heardS = this.#clock.heardS();
    let latest: DueFrame | undefined;
    while (this.#due.length > 0 && this.#due[0].atS <= heardS) latest = this.#takeDue();
    if (latest) {
      this.#canvas.show(latest.frame);
      this.#shown += 1;
      this.#options.onLevel?.(latest.level);
    }
    requestAnimationFrame(this.#showDue);
  };

  #counted() {
    return { ...this.#options.engine.stats(), shown: this.#shown };
  }
}
