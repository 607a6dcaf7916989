// The audio that a client has sent and no turn has taken: either windows for the turn logic, which a speech detector
// makes as fast as it can, or a buffer that the client commits.
import { LIP_SYNC_SAMPLES_PER_MS, SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import { joinSamples } from "../../../signal/audio/join-samples.ts";
import type { SpeechWindow } from "../../turns/turn-listener.ts";
import { RealtimeError } from "../realtime-error.ts";

/** Finds speech in audio. */
export interface WindowSource {
  /** `samples`: mono at 16 kHz, copied. Windows of 512 samples come soon after. */
  push(samples: Int16Array): void;
  /** Forgets an incomplete window. */
  reset(): void;
  close(): void;
}

const WINDOW_SAMPLES = 512;
/** Windows in the detector at a time: it drops what is more than two seconds behind. */
const MOST_WINDOWS = 24;
/** Audio that waits for the detector, or for a commit. The recogniser takes ten minutes. */
const MOST_WAITING_SAMPLES = 60 * SPEECH_SAMPLE_RATE_HZ;
const MOST_BUFFERED_SAMPLES = 600 * SPEECH_SAMPLE_RATE_HZ;
/** A recording may come at once, and then this many seconds of audio in a second: detection costs CPU time, which other
 *  sessions need. */
const MOST_SPEED = 4;

export class InputAudio {
  readonly #detector: WindowSource;
  readonly #onWindow: (window: SpeechWindow) => void;
  /** Audio on its way to the detector. */
  #waiting: Int16Array[] = [];
  #waitingSamples = 0;
  /** Samples in the detector. */
  #inDetector = 0;
  #buffer: Int16Array[] = [];
  #bufferedSamples = 0;
  #receivedSamples = 0;
  readonly #openedAtMs = performance.now();
  /** Windows that were sent before a reset do not count. */
  #staleWindows = 0;

  /** `onWindow` gets the windows of `push`. */
  constructor(
    open: (onWindow: (window: SpeechWindow) => void) => WindowSource,
    onWindow: (window: SpeechWindow) => void,
  ) {
    this.#onWindow = onWindow;
    this.#detector = open((window) => this.#take(window));
  }

  /** All audio so far, ms. */
  get receivedMs(): number {
    return this.#receivedSamples / LIP_SYNC_SAMPLES_PER_MS;
  }

  /** Passes audio to the turn logic. Throws RealtimeError if too much waits. */
  push(samples: Int16Array): void {
    this.#receive(samples, this.#waitingSamples, MOST_WAITING_SAMPLES);
    this.#waiting.push(samples);
    this.#waitingSamples += samples.length;
    this.#feed();
  }

  /** Keeps audio for a commit. Throws RealtimeError if it is too much. */
  buffer(samples: Int16Array): void {
    this.#receive(samples, this.#bufferedSamples, MOST_BUFFERED_SAMPLES);
    this.#buffer.push(samples);
    this.#bufferedSamples += samples.length;
  }

  /** Samples that wait for a commit. */
  get bufferedSamples(): number {
    return this.#bufferedSamples;
  }

  /** Takes what was kept. */
  takeBuffer(): Int16Array {
    const samples = joinSamples(this.#buffer);
    this.#buffer = [];
    this.#bufferedSamples = 0;
    return samples;
  }

  /** Forgets all audio that no turn has taken. */
  clear(): void {
    this.takeBuffer();
    this.#waiting = [];
    this.#waitingSamples = 0;
    this.#staleWindows += Math.floor(this.#inDetector / WINDOW_SAMPLES);
    this.#inDetector = 0;
    this.#detector.reset();
  }

  /** Idempotent. */
  close(): void {
    this.clear();
    this.#detector.close();
  }

  #receive(samples: Int16Array, waiting: number, most: number): void {
    if (waiting + samples.length > most) {
      throw new RealtimeError(`At most ${most / SPEECH_SAMPLE_RATE_HZ} s of audio can wait.`, {
        code: "input_audio_buffer_full",
        param: "audio",
      });
    }
    const allowedMs =
      MOST_BUFFERED_SAMPLES / LIP_SYNC_SAMPLES_PER_MS + MOST_SPEED * (performance.now() - this.#openedAtMs);
    if (this.receivedMs > allowedMs) {
      throw new RealtimeError(`Audio comes more than ${MOST_SPEED} times faster than it was spoken.`, {
        code: "rate_limit_exceeded",
        param: "audio",
      });
    }
    this.#receivedSamples += samples.length;
  }

  #feed(): void {
    for (;;) {
      const room = (MOST_WINDOWS - this.#staleWindows) * WINDOW_SAMPLES - this.#inDetector;
      const next = room > 0 ? this.#waiting.shift() : undefined;
      if (!next) return;
      const part = next.subarray(0, room);
      if (part.length < next.length) this.#waiting.unshift(next.subarray(part.length));
      this.#waitingSamples -= part.length;
      this.#inDetector += part.length;
      this.#detector.push(part);
    }
  }

  #take(window: SpeechWindow): void {
    if (this.#staleWindows > 0) {
      this.#staleWindows -= 1;
    } else {
      this.#inDetector -= window.samples.length;
      this.#onWindow(window);
    }
    this.#feed();
  }
}
