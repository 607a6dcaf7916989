// Plays the engine in a room: audio first, video as far as the machine is fast enough.

import type { Engine } from "../../src/face/engine/engine.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import type { RoomLog } from "../room-log.ts";
import { AudioPacer } from "./audio-pacer.ts";
import { HeardEvents, type HeardListener } from "./heard-events.ts";
import type { MotionSender } from "./motion-sender.ts";
import type { OutputTracks } from "./output-tracks.ts";
import type { PlayoutEvent } from "./playout-event.ts";
import type { PlayoutMetrics } from "./playout-metrics.ts";
import type { SpeechTap } from "./speech-tap.ts";
import type { StartReserve } from "./start-reserve.ts";
import { VideoPacer } from "./video-pacer.ts";
import type { VideoWatch } from "./video-watch.ts";

export interface FramePacerOptions {
  /** Created with `pacedEngine`, with the same `reserve`. */
  engine: Engine;
  tracks: OutputTracks;
  metrics: PlayoutMetrics;
  /** Highest frame rate, fps. */
  maxFps: 25 | 12.5;
  reserve: StartReserve;
  /** Cores of the machine that were free lately. */
  freeCores(): number;
  /** Says whether a viewer needs video. Default: always. */
  watch?: Pick<VideoWatch, "needsVideo" | "onChange">;
  /** Sends motion to viewers that render the face. Default: nothing does. */
  motion?: MotionSender;
  logger: RoomLog;
  listener: HeardListener;
  /** Something happened in the session. Default: not told. */
  onEvent?(event: PlayoutEvent): void;
  /** Gets the speech that is queued. Default: nothing does. */
  tap?: SpeechTap;
  /** Called once if the engine fails; the pacer has stopped by then. */
  onFailure(error: unknown): void;
}

/** Runs from `start()` to `close()`: audio without gaps, silence while there is no speech, and up to 25 fps. */
export class FramePacer {
  readonly #heard: HeardEvents;
  readonly #audio: AudioPacer;
  readonly #video: VideoPacer;
  #hasFailed = false;

  constructor(options: FramePacerOptions) {
    const onFailure = (error: unknown): void => {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      void this.close();
      options.onFailure(error);
    };
    this.#heard = new HeardEvents(options.listener);
    this.#audio = new AudioPacer({
      ...options,
      heard: this.#heard,
      onQueued: (input, leavesInMs) => this.#video.add(input, leavesInMs),
      onDropped: () => this.#video.forget(),
      onFailure,
    });
    this.#video = new VideoPacer({ ...options, audio: this.#audio, onFailure });
  }

  /** Starts with silence and the idle face. Once. */
  start(): void {
    this.#audio.start();
  }

  /** Call it whenever audio was pushed into the engine: audio that is due is queued at once. */
  audioArrived(): void {
    void this.#audio.queueDueAudio();
  }

  /** Empties engine and audio queue at once and continues with silence. Returns the ids of the interrupted segments. */
  clear(): string[] {
    return this.#audio.clear();
  }

  /** The next frame, also while no viewer needs video. Rejects if the pacer closes before. */
  still(): Promise<I420Frame> {
    return this.#video.still();
  }

  /** Stops after the step and the frame in progress. Idempotent. */
  async close(): Promise<void> {
    this.#heard.close();
    await Promise.all([this.#audio.close(), this.#video.close()]);
  }
}
