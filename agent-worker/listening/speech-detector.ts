// Where there is speech in a microphone's audio: the voice activity detector of the agents framework, window by window.
// The framework's own decisions are unused: thresholds and durations belong to the turn logic.
import { inference, initializeLogger, loggerOptions } from "@livekit/agents";
import { AudioFrame } from "@livekit/rtc-node";
import { SPEECH_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { SpeechWindow } from "../../src/conversation/turns/turn-listener.ts";

/** 32 ms at 16 kHz, fixed by the network. */
export const SPEECH_WINDOW_SAMPLES = 512;

export interface SpeechDetectorOptions {
  /** Gets every window (`SPEECH_WINDOW_SAMPLES`, which it may keep) in order, soon after its last sample was pushed.
   *  Must not throw. */
  onWindow(window: SpeechWindow): void;
}

/** Two seconds; further windows are dropped. A machine that is this far behind detects no speech in time. */
const MAX_WAITING_WINDOWS = 62;
/** No probability reaches it: the framework then keeps no audio of its own. */
const NEVER_SPEECH = 2;

/** Runs on the thread pool of this process, .05 ms of CPU time a window. Import this module when a conversation starts:
 *  run from sources, it loads the whole framework. */
export class SpeechDetector {
  readonly #stream: ReturnType<inference.VAD["stream"]>;
  readonly #onWindow: (window: SpeechWindow) => void;
  #window = new Int16Array(SPEECH_WINDOW_SAMPLES);
  #filled = 0;
  #waitingWindows = 0;
  #isClosed = false;

  constructor({ onWindow }: SpeechDetectorOptions) {
    // The framework throws where no logger is set. It logs a failed detector, and never audio.
    if (!loggerOptions()) initializeLogger({ pretty: false, level: "warn" });
    this.#onWindow = onWindow;
    this.#stream = new inference.VAD({
      activationThreshold: NEVER_SPEECH,
      prefixPaddingDuration: 0,
      maxBufferedSpeech: 100,
    }).stream();
    void this.#read();
  }

  /** `samples`: mono at 16 kHz, any length; copied. Does nothing once closed. */
  push(samples: Int16Array): void {
    if (this.#isClosed) return;
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + SPEECH_WINDOW_SAMPLES - this.#filled);
      this.#window.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === SPEECH_WINDOW_SAMPLES) this.#sendWindow();
    }
  }

  /** Forgets the audio before, for another speaker or after a gap. Windows that are complete still come. */
  reset(): void {
    if (this.#isClosed) return;
    this.#filled = 0;
    this.#stream.flush();
  }

  /** No window comes afterwards. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.close();
  }

  #sendWindow(): void {
    this.#filled = 0;
    if (this.#waitingWindows >= MAX_WAITING_WINDOWS) return;
    this.#waitingWindows++;
    this.#stream.pushFrame(new AudioFrame(this.#window, SPEECH_SAMPLE_RATE_HZ, 1, SPEECH_WINDOW_SAMPLES));
    this.#window = new Int16Array(SPEECH_WINDOW_SAMPLES);
  }

  async #read(): Promise<void> {
    for await (const { probability, frames } of this.#stream) {
      if (this.#isClosed) return;
      this.#waitingWindows--;
      this.#onWindow({ probability, samples: frames[0].data });
    }
  }
}
