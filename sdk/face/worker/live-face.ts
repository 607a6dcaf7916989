// Follows a voice with a face: each frame is rendered as soon as its audio and what comes after it is known, and drawn
// when that audio is heard.
import type { Expression } from "../../../shared/expressions.ts";
import { HOP_MS } from "../../../shared/units.ts";
import type { Engine, SegmentInput } from "../../../src/face/engine/engine.ts";
import type { I420Frame } from "../../../src/signal/image/i420-frame.ts";
import type { VoicePiece } from "../face-messages.ts";
import { frameDrawer, SCREEN_MS, TOO_LATE_MS, until } from "./draw-frame.ts";
import { HeardClock } from "./heard-clock.ts";
import { VoiceInput } from "./voice-input.ts";

/** The face rests once so much time has passed since its last frame: the next frame of a voice comes after 40 ms. */
const REST_AFTER_MS = 2 * HOP_MS;
const SILENCE = Object.freeze({ speech: null, isStarved: false });

export interface LiveFaceOptions {
  engine: Engine;
  canvas: OffscreenCanvas;
  /** Whether it moves only while it speaks. */
  isCalm: boolean;
  /** The first frame is drawn. */
  onShown(): void;
  onSpeaking(isSpeaking: boolean): void;
}

export class LiveFace {
  readonly clock = new HeardClock();
  readonly #options: LiveFaceOptions;
  readonly #drawFrame: (frame: I420Frame) => void;
  /** Seconds of the audio clock at which utterances begin, by segment. */
  readonly #starts = new Map<string, number>();
  #segments = 0;
  #voice: VoiceInput | undefined;
  #isShown = false;
  #hasDrawn = false;
  #isSpeaking = false;
  /** When the next frame without speech is due. */
  #restMs = 0;
  #wake: () => void = () => undefined;

  /** Throws Error if the canvas cannot be drawn on. The canvas has the size of the frames. */
  constructor(options: LiveFaceOptions) {
    this.#options = options;
    this.#drawFrame = frameDrawer(options.canvas);
  }

  set isShown(isShown: boolean) {
    this.#isShown = isShown;
    if (!isShown) this.#forget();
    this.#restMs = performance.now();
    this.#wake();
  }

  /** Shows an expression from now on. */
  express(expression: Expression): void {
    this.#options.engine.express("mood", expression);
    this.#wake();
  }

  /** Follows a voice that comes through a port, until `silence` or the next one. */
  listen(port: MessagePort, rateHz: number): void {
    this.silence();
    const voice = new VoiceInput(rateHz, (fromS) => this.#openSegment(fromS, rateHz));
    this.#voice = voice;
    port.onmessage = ({ data }: MessageEvent<VoicePiece>) => {
      if (voice !== this.#voice) return port.close();
      if (!this.#isShown) return;
      voice.take(data);
      this.#wake();
    };
  }

  /** The voice is over. What has arrived is said. */
  silence(): void {
    this.#voice?.end();
    this.#voice = undefined;
  }

  /** Moves for ever. Rejects with the engine's error. */
  async run(): Promise<never> {
    for (;;) {
      if (!this.#isShown) await this.#untilChange();
      else if (!(await this.#speak())) await this.#rest();
    }
  }

  #openSegment(fromS: number, rateHz: number): SegmentInput {
    this.#segments += 1;
    const segment = this.#options.engine.openSegment(`segment-${this.#segments}`, rateHz);
    this.#starts.set(segment.segmentId, fromS);
    return segment;
  }

  /** Drops what was not said. */
  #forget(): void {
    this.#voice?.end();
    this.#options.engine.clear();
    this.#starts.clear();
    this.#setSpeaking(false);
  }

  /** The next frame of an utterance. False if there is none yet. */
  async #speak(): Promise<boolean> {
    const { engine } = this.#options;
    this.#voice?.endIfGone();
    await engine.prepare();
    if (engine.readiness() !== "ready") return false;
    const step = await engine.nextAudio();
    const fromS = this.#starts.get(step.segmentId ?? "");
    for (const event of step.events) if (event.type === "segment-finished") this.#starts.delete(event.segmentId);
    if (fromS === undefined) return true;
    const dueMs = this.clock.heardMs(fromS + step.positionMs / 1000) - SCREEN_MS;
    if (performance.now() - dueMs > TOO_LATE_MS) {
      engine.skip(step.frameInput);
      return true;
    }
    const frame = await engine.render(step.frameInput);
    await until(dueMs);
    if (!this.#isShown) return true;
    this.#draw(frame);
    this.#setSpeaking(true);
    this.#restMs = Math.max(dueMs, performance.now()) + REST_AFTER_MS;
    return true;
  }

  /** A frame without speech, unless a voice comes first. */
  async #rest(): Promise<void> {
    const { engine } = this.#options;
    const waitMs = this.#restMs - performance.now();
    if (waitMs > 0) return this.#untilChange(waitMs);
    this.#setSpeaking(false);
    if (this.#options.isCalm) {
      this.#draw(await engine.renderRest());
      return this.#untilChange();
    }
    this.#draw(await engine.render(SILENCE));
    this.#restMs = Math.max(performance.now(), this.#restMs + HOP_MS);
  }

  #draw(frame: I420Frame): void {
    this.#drawFrame(frame);
    if (this.#hasDrawn) return;
    this.#hasDrawn = true;
    this.#options.onShown();
  }

  #setSpeaking(isSpeaking: boolean): void {
    if (isSpeaking === this.#isSpeaking) return;
    this.#isSpeaking = isSpeaking;
    this.#options.onSpeaking(isSpeaking);
  }

  /** Resolves when a piece or an order came, or after a time. */
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
