// Shows the video frame of each step when its audio is heard, as far as the machine is fast enough: frames that are too
// late are dropped, and the frame ladder lowers the rate. While no viewer needs video, the face moves on unseen.
import { HOP_MS } from "../../shared/units.ts";
import type { Engine, FrameInput } from "../../src/face/engine/engine.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import type { AudioPacer } from "./audio-pacer.ts";
import { FrameLadder } from "./frame-ladder.ts";
import type { MotionSender, ToldFrame } from "./motion-sender.ts";
import type { OutputTracks } from "./output-tracks.ts";
import { AUDIO_LEAD_TICKS } from "./paced-engine.ts";
import { milestoneReached, type PlayoutEvent } from "./playout-event.ts";
import type { PlayoutMetrics } from "./playout-metrics.ts";
import type { VideoWatch } from "./video-watch.ts";

/** Time from the moment at which audio leaves the queue until its video frame is shown, ms. Rooms carry video about
 *  50 ms faster than audio; receivers that follow timestamps show both as they were sent. This is between the two. */
const SHOWN_AFTER_MS = 40;
/** Least time between two frames, ms; closer ones are left out. */
const CLOSEST_FRAMES_MS = 20;

export interface VideoPacerOptions {
  engine: Engine;
  tracks: OutputTracks;
  metrics: PlayoutMetrics;
  /** Highest rate, fps. */
  maxFps: 25 | 12.5;
  /** Cores of the machine that were free lately. */
  freeCores(): number;
  /** Says whether a viewer needs video. Default: always. */
  watch?: Pick<VideoWatch, "needsVideo" | "onChange">;
  /** Gets the poses of the frames when they are known. Default: poses are made when frames are due. */
  motion?: Pick<MotionSender, "isNeeded" | "isStale" | "add" | "cut">;
  /** Its due audio is queued before each frame. */
  audio: Pick<AudioPacer, "queueDueAudio" | "queuedSpeechMs">;
  onFailure(error: unknown): void;
  /** Something happened in the session. Default: not told. */
  onEvent?(event: PlayoutEvent): void;
}

interface DueFrame {
  input: FrameInput;
  dueMs: number;
  /** If viewers render: the face has moved on by it, and they have been told. */
  told?: ToldFrame;
}

export class VideoPacer {
  readonly #options: VideoPacerOptions;
  readonly #ladder: FrameLadder;
  readonly #endFollowing: (() => void)[] = [];
  /** Who waits for a still. */
  #stills: { resolve(still: I420Frame): void; reject(error: Error): void }[] = [];
  /** Frames that were not shown yet, as many as the audio queue holds. */
  #due: DueFrame[] = [];
  #shownDueMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #showing: Promise<void> | undefined;
  /** The face at rest, while the rate is `frozen`. */
  #rest: I420Frame | undefined;
  #isOpen = true;
  /** The next frame is not seen, and no timer waits for it. */
  #isUnseen = false;
  #hasShown = false;

  constructor(options: VideoPacerOptions) {
    this.#options = options;
    this.#ladder = new FrameLadder({
      highest: options.maxFps === 25 ? "full" : "half",
      freeCores: options.freeCores,
      onChange: (rate) => {
        this.#rest = undefined;
        options.metrics.countRate(rate);
      },
    });
    options.metrics.startAt(this.#ladder.rate);
    const { watch, engine, motion } = options;
    if (watch) this.#endFollowing.push(watch.onChange(() => this.#schedule()));
    if (motion) this.#endFollowing.push(engine.onCommand(() => this.#tellMotion()));
  }

  /** The audio of a step leaves the queue `leavesInMs` from now. */
  add(input: FrameInput, leavesInMs: number): void {
    this.#passUnseen();
    const nowMs = performance.now();
    const dueMs = Math.max(nowMs, nowMs + leavesInMs - AUDIO_LEAD_TICKS * HOP_MS + SHOWN_AFTER_MS);
    // At the start of an utterance, frames of the silence before it are over.
    if (dueMs < (this.#due.at(-1)?.dueMs ?? this.#shownDueMs) + CLOSEST_FRAMES_MS) return;
    this.#due.push({ input, dueMs });
    this.#tellMotion();
    this.#schedule();
  }

  /** Leaves out all frames that were not shown: their audio is not played. */
  forget(): void {
    this.#passUnseen();
    this.#takeBack();
    this.#due = [];
    clearTimeout(this.#timer);
  }

  /** The next frame, a copy: as it is shown, or rendered for this alone while no viewer needs video. Rejects if the
   *  pacer closes before. */
  still(): Promise<I420Frame> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) return reject(new Error("the face is not rendered any more"));
      this.#passUnseen();
      this.#stills.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Stops after the frame in progress. Idempotent. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    for (const end of this.#endFollowing) end();
    await this.#showing;
    for (const { reject } of this.#stills.splice(0)) reject(new Error("the face is not rendered any more"));
  }

  /** Frames without a viewer need no timer: those that are due by now are passed before anything else happens. */
  #passUnseen(): void {
    if (!this.#isUnseen) return;
    const nowMs = performance.now();
    while (this.#due.length > 0 && this.#due[0].dueMs <= nowMs) this.#pass(this.#due.shift()!);
  }

  #pass(frame: DueFrame): void {
    this.#shownDueMs = frame.dueMs;
    this.#skip(frame);
    this.#options.metrics.countUnwatched();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#isOpen || this.#showing) return;
    this.#passUnseen();
    this.#isUnseen = this.#options.watch?.needsVideo === false && this.#stills.length === 0;
    if (this.#isUnseen || this.#due.length === 0) return;
    const waitMs = Math.max(0, this.#due[0].dueMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#showing = this.#showNext()
        .catch((error) => {
          if (!this.#isOpen) return;
          this.#isOpen = false;
          this.#options.onFailure(error);
        })
        .finally(() => {
          this.#showing = undefined;
          this.#schedule();
        });
    }, waitMs);
  }

  /** Poses come in the order of the frames, so those that are due already come first. */
  #tellMotion(): void {
    const { motion } = this.#options;
    if (!motion?.isNeeded) motion?.cut();
    else {
      this.#passUnseen();
      // A gesture begins now, not after the speech that is queued.
      if (motion.isStale) this.#takeBack();
      for (const frame of this.#due) frame.told ??= motion.add(frame.input, frame.dueMs - SHOWN_AFTER_MS);
    }
  }

  #takeBack(): void {
    this.#options.motion?.cut(this.#due.find(({ told }) => told)?.told);
    for (const frame of this.#due) frame.told = undefined;
  }

  #skip({ input, told }: DueFrame): void {
    if (!told) this.#options.engine.skip(input);
  }

  #render({ input, told }: DueFrame): Promise<I420Frame> {
    const { engine } = this.#options;
    return told ? engine.renderPose(told.pose) : engine.render(input);
  }

  async #showNext(): Promise<void> {
    const { engine, metrics, audio } = this.#options;
    const { queuedSpeechMs } = audio;
    await audio.queueDueAudio();
    const frame = this.#due.shift();
    if (!this.#isOpen || !frame) return;
    this.#shownDueMs = frame.dueMs;
    if (this.#options.watch?.needsVideo === false) {
      if (this.#stills.length === 0) return this.#pass(frame);
      this.#giveStill(await this.#render(frame));
      metrics.countUnwatched();
      return;
    }
    const startMs = performance.now();
    const lateMs = Math.max(0, startMs - frame.dueMs);
    const fate = this.#ladder.frameDue(startMs, lateMs, queuedSpeechMs);
    if (fate === "render") {
      await this.#show(frame, await this.#render(frame), lateMs, startMs);
      return;
    }
    this.#skip(frame);
    if (fate === "drop") metrics.countDropped();
    else if (fate === "withhold") metrics.countWithheld();
    else {
      this.#rest ??= await engine.renderRest();
      await this.#show(frame, this.#rest, lateMs, startMs);
    }
  }

  #giveStill(image: I420Frame): void {
    for (const { resolve } of this.#stills.splice(0)) resolve({ ...image, data: image.data.slice() });
  }

  async #show({ dueMs }: DueFrame, image: I420Frame, lateMs: number, startMs: number): Promise<void> {
    const { tracks, metrics } = this.#options;
    this.#giveStill(image);
    if (!this.#isOpen) return;
    tracks.showFrame(image, BigInt(Math.round(dueMs * 1000)));
    if (!this.#hasShown) this.#options.onEvent?.(milestoneReached("first-frame"));
    this.#hasShown = true;
    const nowMs = performance.now();
    this.#ladder.frameRendered(nowMs, nowMs - startMs);
    metrics.countFrame(lateMs, nowMs - startMs);
  }
}
