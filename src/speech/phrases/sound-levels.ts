// How loud a microphone is, every 20 ms, without the hum and rumble below voices.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";

/** 20 ms at 16 kHz. */
export const LEVEL_SAMPLES = 320;
export const LEVEL_MS = (LEVEL_SAMPLES * 1000) / SPEECH_SAMPLE_RATE_HZ;

/** Below it there is hum, and little of a voice, Hz. */
const CUTOFF_HZ = 150;
/** Damping of a Butterworth filter of second order. */
const QUALITY = Math.SQRT1_2;
const FULL_SCALE = 32_768;
/** Below every level that counts; keeps the logarithm finite. */
const FLOOR_POWER = 1e-10;

/** Coefficients of a high-pass filter. Source: R. Bristow-Johnson, Audio EQ Cookbook. */
const { B0, A1, A2 } = highPass();

/** Measures one stream. */
export class SoundLevels {
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  /** Level of the next 20 ms, dB of full scale, at least −100. Reads `LEVEL_SAMPLES` of mono int16 at 16 kHz from
   *  `start`. */
  next(samples: Int16Array, start: number): number {
    let [x1, x2, y1, y2] = [this.#x1, this.#x2, this.#y1, this.#y2];
    let power = 0;
    for (let i = start; i < start + LEVEL_SAMPLES; i++) {
      const x = samples[i] / FULL_SCALE;
      const y = B0 * (x - 2 * x1 + x2) - A1 * y1 - A2 * y2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      power += y * y;
    }
    [this.#x1, this.#x2, this.#y1, this.#y2] = [x1, x2, y1, y2];
    return 10 * Math.log10(power / LEVEL_SAMPLES + FLOOR_POWER);
  }

  reset(): void {
    [this.#x1, this.#x2, this.#y1, this.#y2] = [0, 0, 0, 0];
  }
}

function highPass(): { B0: number; A1: number; A2: number } {
  const omega = (2 * Math.PI * CUTOFF_HZ) / SPEECH_SAMPLE_RATE_HZ;
  const alpha = Math.sin(omega) / (2 * QUALITY);
  const a0 = 1 + alpha;
  return {
    B0: (1 + Math.cos(omega)) / 2 / a0,
    A1: (-2 * Math.cos(omega)) / a0,
    A2: (1 - alpha) / a0,
  };
}
