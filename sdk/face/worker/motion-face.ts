// Shows poses that someone else computed: each is rendered shortly before its audio is heard, and drawn then.

import { toParameterVector } from "../../../shared/face-parameters.ts";
import type { MotionPacket } from "../../../shared/motion-packet.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import type { I420Frame } from "../../../src/signal/image/i420-frame.ts";
import { frameDrawer, SCREEN_MS, TOO_LATE_MS, until } from "./draw-frame.ts";
import { MotionClock } from "./motion-clock.ts";
import { MotionQueue, type QueuedFrame } from "./motion-queue.ts";
import { Pace } from "./pace.ts";

/** Rendering begins this long before a frame is drawn: longer than it takes, too short for an interruption to
 *  matter. */
const AHEAD_MS = 25;

export interface MotionFaceOptions {
  avatar: Pick<Avatar, "render" | "restPose">;
  /** Of the size of the avatar. */
  canvas: OffscreenCanvas;
  /** The first frame of a sender is drawn. */
  onShown(): void;
  onSpeaking(isSpeaking: boolean): void;
  /** The frame rate has been too low for 10 s now. */
  onSlow(fps: number): void;
}

export class MotionFace {
  readonly clock = new MotionClock();
  readonly #options: MotionFaceOptions;
  readonly #draw: (frame: I420Frame) => void;
  readonly #queue = new MotionQueue();
  readonly #pace: Pace;
  #epoch: number | undefined;
  #hasDrawn = false;
  #isShown = true;
  #isSpeaking = false;
  /** Frames that were due before are over. */
  #shownSinceMs = 0;
  #wake: () => void = () => undefined;

  /** Throws Error if the canvas cannot be drawn on. */
  constructor(options: MotionFaceOptions) {
    this.#options = options;
    this.#draw = frameDrawer(options.canvas);
    this.#pace = new Pace((fps) => options.onSlow(fps));
  }

  /** Whether anybody can see the face. While it cannot be seen, motion is followed and nothing is rendered. */
  set isShown(isShown: boolean) {
    this.#isShown = isShown;
    this.#shownSinceMs = performance.now();
    this.#pace.forget();
    this.#wake();
  }

  /** A packet that arrived at `atMs` of `performance.now()`. */
  take({ epoch, sentAtMs, frames, cuts }: MotionPacket, atMs: number): void {
    if (epoch !== this.#epoch) this.#beginAnew(epoch);
    this.clock.arrived(sentAtMs, atMs);
    for (const cut of cuts) this.#queue.cut(cut);
    for (const frame of frames) this.#queue.add({ ...frame, arrivedMs: atMs });
    this.#wake();
  }

  /** Draws the face at rest: it is to be seen before the first motion comes. Rejects with the renderer's error. */
  async showRest(): Promise<void> {
    const { avatar } = this.#options;
    this.#draw(await avatar.render(toParameterVector(avatar.restPose), 0));
  }

  /** Moves for ever. Rejects with the renderer's error. */
  async run(): Promise<never> {
    for (;;) {
      const frame = this.#isShown ? this.#queue.next : undefined;
      const heardMs = frame && this.clock.heardMs(frame.atMs);
      if (!frame || heardMs === undefined) {
        await this.#untilChange();
        continue;
      }
      // The first frame waits for no audio: until then the face stands still.
      const dueMs = this.#hasDrawn ? heardMs - SCREEN_MS : performance.now();
      const waitMs = dueMs - AHEAD_MS - performance.now();
      if (waitMs > 0) await this.#untilChange(waitMs);
      else await this.#show(frame, dueMs);
    }
  }

  #beginAnew(epoch: number): void {
    this.#epoch = epoch;
    this.#hasDrawn = false;
    this.clock.reset();
    this.#queue.clear();
  }

  async #show(frame: QueuedFrame, dueMs: number): Promise<void> {
    const epoch = this.#epoch;
    this.#queue.take();
    if (performance.now() - dueMs > TOO_LATE_MS) return this.#count(frame, dueMs, false);
    const image = await this.#options.avatar.render(frame.parameters, frame.breath);
    await until(dueMs);
    if (!this.#isShown || epoch !== this.#epoch) return;
    this.#draw(image);
    this.#count(frame, dueMs, true);
    if (frame.isSpeaking !== this.#isSpeaking) this.#options.onSpeaking(frame.isSpeaking);
    this.#isSpeaking = frame.isSpeaking;
    if (!this.#hasDrawn) this.#options.onShown();
    this.#hasDrawn = true;
  }

  /** What came too late, or was over before the face could be seen, says nothing about this machine. */
  #count({ arrivedMs }: QueuedFrame, dueMs: number, isDrawn: boolean): void {
    if (isDrawn || (arrivedMs < dueMs - AHEAD_MS && dueMs > this.#shownSinceMs + AHEAD_MS)) this.#pace.count(isDrawn);
  }

  /** Resolves when motion or an order came, or after a time. */
  #untilChange(longestMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = longestMs === undefined ? undefined : setTimeout(resolve, longestMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
