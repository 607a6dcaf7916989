// Audio input of mouth networks of the Wav2Lip family: 200 ms as a mel spectrogram with the settings of that family.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { hannWindow } from "../../signal/math/hann-window.ts";
import { PowerSpectrum } from "../../signal/math/power-spectrum.ts";

/** Parameters of the family. Source: Prajwal et al., "A Lip Sync Expert Is All You Need", 2020, and its published
 *  settings. */
export const MEL_BANDS = 80;
export const MEL_FRAMES = 16;
const FFT_SAMPLES = 800;
const HOP_SAMPLES = 200;
const LOWEST_HZ = 55;
const HIGHEST_HZ = 7600;
const PRE_EMPHASIS = 0.97;
const REFERENCE_DB = 20;
const FLOOR_DB = -100;
const RANGE = 4;

/** Samples that a whole window spans: the first frame's centre is half an FFT into it. */
export const MEL_WINDOW_SAMPLES = (MEL_FRAMES - 1) * HOP_SAMPLES + FFT_SAMPLES;

/** Log-mel features for one frame. Reuses its buffers: one for each session. */
export class MouthMel {
  readonly #spectrum = new PowerSpectrum(FFT_SAMPLES);
  readonly #window = hannWindow(FFT_SAMPLES);
  readonly #filters = melFilters();
  readonly #frame = new Float64Array(FFT_SAMPLES);
  readonly #powers = new Float64Array(FFT_SAMPLES / 2 + 1);

  /** in: float32 [-1, 1], 16 kHz mono, up to `MEL_WINDOW_SAMPLES` (3,800) samples, preceded by one more for the
   *  pre-emphasis; a window without a known end is cut short, and its last whole frame stands in for the missing
   *  ones. out: float32 [80 × 16], bands from low to high, −4..4. Throws RangeError for less than one frame. */
  compute(samples: Float32Array, into: Float32Array): void {
    const frames = Math.min(MEL_FRAMES, Math.floor((samples.length - 1 - FFT_SAMPLES) / HOP_SAMPLES) + 1);
    if (frames < 1) throw new RangeError(`mel features need ${FFT_SAMPLES + 1} samples, got ${samples.length}`);
    for (let frame = 0; frame < frames; frame++) {
      const start = 1 + frame * HOP_SAMPLES;
      for (let i = 0; i < FFT_SAMPLES; i++) {
        this.#frame[i] = this.#window[i] * (samples[start + i] - PRE_EMPHASIS * samples[start + i - 1]);
      }
      this.#spectrum.transform(this.#frame, this.#powers);
      for (let band = 0; band < MEL_BANDS; band++) into[band * MEL_FRAMES + frame] = this.#level(band);
    }
    for (let band = 0; band < MEL_BANDS; band++) {
      const last = into[band * MEL_FRAMES + frames - 1];
      into.fill(last, band * MEL_FRAMES + frames, (band + 1) * MEL_FRAMES);
    }
  }

  #level(band: number): number {
    const { first, weights } = this.#filters[band];
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += weights[i] * Math.sqrt(this.#powers[first + i]);
    const db = 20 * Math.log10(Math.max(10 ** (FLOOR_DB / 20), sum)) - REFERENCE_DB;
    return Math.min(RANGE, Math.max(-RANGE, (2 * RANGE * (db - FLOOR_DB)) / -FLOOR_DB - RANGE));
  }
}

/** A triangle over neighbouring bins of the spectrum. */
interface MelFilter {
  first: number;
  weights: number[];
}

/** Triangles of equal area on Slaney's mel scale. Source: M. Slaney, Auditory Toolbox, 1998. */
function melFilters(): MelFilter[] {
  const [low, high] = [toMel(LOWEST_HZ), toMel(HIGHEST_HZ)];
  const edges = Array.from({ length: MEL_BANDS + 2 }, (_, i) => toHz(low + ((high - low) * i) / (MEL_BANDS + 1)));
  const binHz = SPEECH_SAMPLE_RATE_HZ / FFT_SAMPLES;
  return Array.from({ length: MEL_BANDS }, (_, band) => {
    const [from, centre, to] = edges.slice(band, band + 3);
    const first = Math.ceil(from / binHz);
    const weights: number[] = [];
    for (let bin = first; bin * binHz <= to; bin++) {
      const rising = (bin * binHz - from) / (centre - from);
      const falling = (to - bin * binHz) / (to - centre);
      weights.push((Math.max(0, Math.min(rising, falling)) * 2) / (to - from));
    }
    return { first, weights };
  });
}

/** Linear below 1 kHz, logarithmic above. */
function toMel(hz: number): number {
  return hz < 1000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1000)) / Math.log(6.4);
}

function toHz(mel: number): number {
  return mel < 15 ? (200 * mel) / 3 : 1000 * 6.4 ** ((mel - 15) / 27);
}
