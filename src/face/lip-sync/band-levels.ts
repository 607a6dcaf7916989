// Levels of a few frequency bands every 20 ms, to measure whether audio changes as speech does.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";

/** Edges of the bands, Hz. The bands are wide enough that the level of steady noise is steady within 40 ms. */
const BAND_EDGES_HZ = [120, 500, 900, 1500, 2300, 3300, 4800, 7200] as const;

export const BAND_COUNT = BAND_EDGES_HZ.length - 1;
export const FRAME_SAMPLES = 320;

/** Below every relevant level; keeps the logarithm finite. */
const FLOOR_POWER = 1e-10;

interface BandPass {
  b0: number;
  a1: number;
  a2: number;
  x1: number;
  x2: number;
  y1: number;
  y2: number;
}

/** A bank of band-pass filters; their state carries over from frame to frame. */
export class BandLevels {
  #bands: BandPass[] = [];
  readonly #previousPower = new Float64Array(BAND_COUNT);

  constructor() {
    this.reset();
  }

  /** Writes the levels of the last 40 ms in dB (from −100), float64 [7], into `levels`, given the next 20 ms: the 320
   *  samples from `start` on. */
  push(samples: Float32Array, start: number, levels: Float64Array): void {
    for (let k = 0; k < BAND_COUNT; k++) {
      const power = filteredPower(this.#bands[k], samples, start);
      levels[k] = 10 * Math.log10((power + this.#previousPower[k]) / 2 + FLOOR_POWER);
      this.#previousPower[k] = power;
    }
  }

  reset(): void {
    this.#bands = Array.from({ length: BAND_COUNT }, (_, k) => bandPass(BAND_EDGES_HZ[k], BAND_EDGES_HZ[k + 1]));
    this.#previousPower.fill(0);
  }
}

/** Second-order band-pass filter with unit gain at the centre frequency. Source: R. Bristow-Johnson, Audio EQ
 *  Cookbook. */
function bandPass(fromHz: number, toHz: number): BandPass {
  const centre = Math.sqrt(fromHz * toHz);
  const omega = (2 * Math.PI * centre) / SPEECH_SAMPLE_RATE_HZ;
  const alpha = (Math.sin(omega) * (toHz - fromHz)) / (2 * centre);
  const a0 = 1 + alpha;
  return {
    b0: alpha / a0,
    a1: (-2 * Math.cos(omega)) / a0,
    a2: (1 - alpha) / a0,
    x1: 0,
    x2: 0,
    y1: 0,
    y2: 0,
  };
}

/** Mean square of the filtered samples from `start` on. The filter's state is in variables during the loop: written to
 *  the object at each sample, it takes twice the time. */
function filteredPower(band: BandPass, samples: Float32Array, start: number): number {
  const { b0, a1, a2 } = band;
  let { x1, x2, y1, y2 } = band;
  let sum = 0;
  for (let i = start; i < start + FRAME_SAMPLES; i++) {
    const sample = samples[i];
    const y = b0 * (sample - x2) - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = sample;
    y2 = y1;
    y1 = y;
    sum += y * y;
  }
  band.x1 = x1;
  band.x2 = x2;
  band.y1 = y1;
  band.y2 = y2;
  return sum / FRAME_SAMPLES;
}
