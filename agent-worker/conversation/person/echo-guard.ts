// Compares the microphone with what the avatar says, so that an avatar on a loudspeaker does not answer itself.

import type { SpeechTap } from "../../../room/playout/speech-tap.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { EchoCheck } from "../../../src/speech/echo/echo-check.ts";

/** Audio that leaves the queue this much earlier or later than the audio before it ends is no continuation, ms. */
const CONTINUED_MS = 20;

export class EchoGuard implements SpeechTap {
  readonly #check = new EchoCheck();
  readonly #sampleRateHz: number;
  #resampler: Resampler | undefined;
  /** When the next resampled audio leaves the queue, and when the next audio is expected to, ms. */
  #outputAtMs = 0;
  #inputAtMs = 0;

  /** `sampleRateHz`: of what the avatar says. */
  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz;
  }

  played(samples: Int16Array, atMs: number): void {
    if (!this.#resampler || Math.abs(atMs - this.#inputAtMs) > CONTINUED_MS) this.#begin(atMs);
    this.#inputAtMs = atMs + (samples.length / this.#sampleRateHz) * 1000;
    const output = this.#resampler?.push(toFloatSamples(samples));
    if (!output || output.length === 0) return;
    this.#check.played(toInt16Samples(output), this.#outputAtMs);
    this.#outputAtMs += (output.length / SPEECH_SAMPLE_RATE_HZ) * 1000;
  }

  cleared(atMs: number): void {
    this.#resampler = undefined;
    this.#check.cleared(atMs);
  }

  /** A block of the microphone without the avatar's echo; valid until the next call. `samples`: mono at 16 kHz, 10 to
   *  40 ms. */
  clean(samples: Int16Array): Int16Array {
    return this.#check.pushAudio(samples, performance.now()).samples;
  }

  /** Whether the microphone is known to hear the avatar now. */
  get hasEcho(): boolean {
    return this.#check.hasEcho;
  }

  #begin(atMs: number): void {
    this.#resampler = new Resampler(this.#sampleRateHz, SPEECH_SAMPLE_RATE_HZ);
    this.#outputAtMs = atMs;
  }
}
