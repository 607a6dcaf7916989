// Plays audio and video frames at their pace.
import { AudioFrame, type AudioSource, VideoFrame, type VideoSource } from "@livekit/rtc-node";
import { FrameClock } from "./frame-clock.ts";

/** A source that was delayed longer does not catch up, ms. */
const TOLERANCE_MS = 300;

export interface AVSynchronizerOptions {
  audioSource: AudioSource;
  videoSource: VideoSource;
  videoFps: number;
  /** Video that waits at most, ms. */
  videoQueueSizeMs: number;
}

/** Runs until `aclose`. Audio is queued by its source, which takes a frame when there is room for it. */
export class AVSynchronizer {
  readonly #options: AVSynchronizerOptions;
  readonly #clock: FrameClock;
  readonly #mostFrames: number;
  readonly #video: VideoFrame[] = [];
  /** Resume who waits for room in the queue of video. */
  #whenShorter: (() => void)[] = [];
  #isShowing = false;
  #isClosed = false;

  constructor(options: AVSynchronizerOptions) {
    this.#options = options;
    this.#clock = new FrameClock(options.videoFps, TOLERANCE_MS);
    this.#mostFrames = Math.max(1, Math.floor((options.videoFps * options.videoQueueSizeMs) / 1000));
  }

  /** Audio that was pushed and is not played yet, s. */
  get queuedAudio(): number {
    return this.#options.audioSource.queuedDuration / 1000;
  }

  /** Resolves when there is room for the next frame. */
  async push(frame: AudioFrame | VideoFrame): Promise<void> {
    if (frame instanceof AudioFrame) return this.#options.audioSource.captureFrame(ownAudio(frame));
    while (this.#video.length >= this.#mostFrames && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#whenShorter.push(resolve));
    }
    if (this.#isClosed) return;
    this.#video.push(frame);
    if (!this.#isShowing) void this.#show();
  }

  /** Drops what was pushed and is not played yet. */
  clearQueue(): void {
    if (this.#isClosed) return;
    this.#options.audioSource.clearQueue();
    this.#video.length = 0;
    this.#resume();
  }

  /** Idempotent. */
  aclose(): void {
    this.#isClosed = true;
    this.#video.length = 0;
    this.#resume();
  }

  async #show(): Promise<void> {
    this.#isShowing = true;
    while (this.#video.length > 0) {
      await this.#clock.next();
      const frame = this.#video.shift();
      this.#resume();
      if (frame && !this.#isClosed) this.#options.videoSource.captureFrame(ownVideo(frame));
    }
    this.#isShowing = false;
  }

  #resume(): void {
    const waiting = this.#whenShorter;
    this.#whenShorter = [];
    for (const resume of waiting) resume();
  }
}

// The native side reads from the start of the buffer, whatever part of it the frame is.

function ownAudio(frame: AudioFrame): AudioFrame {
  if (frame.data.byteOffset === 0) return frame;
  return new AudioFrame(frame.data.slice(), frame.sampleRate, frame.channels, frame.samplesPerChannel);
}

function ownVideo(frame: VideoFrame): VideoFrame {
  if (frame.data.byteOffset === 0) return frame;
  return new VideoFrame(frame.data.slice(), frame.width, frame.height, frame.type);
}
