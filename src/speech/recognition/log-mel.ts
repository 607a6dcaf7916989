// What the recogniser sees of speech: its spectrum on the mel scale, as Whisper was trained on it.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { hannWindow } from "../../signal/math/hann-window.ts";
import { PowerSpectrum } from "../../signal/math/power-spectrum.ts";

export const MELS = 80;
/** A frame is 25 ms long and begins 10 ms after the one before. */
const FRAME_SAMPLES = 400;
const STEP_SAMPLES = 160;
const BINS = FRAME_SAMPLES / 2 + 1;
/** Slaney's mel scale: linear up to 1 kHz, 15 mels; then 27 mels for a factor of 6.4. */
const LINEAR_MELS = 15;
const LINEAR_HZ = 1000;
const LOG_STEP = Math.log(6.4) / 27;
/** Powers below are silence. */
const LEAST_POWER = 1e-10;
/** What is more than 8 powers of ten below the loudest is as silent. */
const RANGE_DECADES = 8;

const spectrum = new PowerSpectrum(FRAME_SAMPLES);
const shape = hannWindow(FRAME_SAMPLES);
const filters = melFilters();

/** Log-mel spectrum of a window that begins with `samples` (float32 ±1, 16 kHz) and is silent after them.
 *  `frameCount`: of the window, 100 a second. Returns float32 [80, frameCount], about −1.5 to 1.5: base-10 logarithms
 *  of power, at most 8 below the loudest, plus 4, divided by 4. Source: Whisper's front end. */
export function logMel(samples: Float32Array, frameCount: number): Float32Array {
  const decades = new Float32Array(MELS * frameCount).fill(Math.log10(LEAST_POWER));
  const half = FRAME_SAMPLES / 2;
  const filled = Math.min(frameCount, Math.ceil((samples.length + half) / STEP_SAMPLES));
  const frame = new Float64Array(FRAME_SAMPLES);
  const powers = new Float64Array(BINS);
  let loudest = Math.log10(LEAST_POWER);
  for (let index = 0; index < filled; index++) {
    const from = index * STEP_SAMPLES - half;
    // The start is mirrored.
    for (let i = 0; i < FRAME_SAMPLES; i++) frame[i] = shape[i] * (samples[Math.abs(from + i)] ?? 0);
    spectrum.transform(frame, powers);
    for (let mel = 0; mel < MELS; mel++) {
      const { first, weights } = filters[mel];
      let power = 0;
      for (let i = 0; i < weights.length; i++) power += weights[i] * powers[first + i];
      const decade = Math.log10(Math.max(power, LEAST_POWER));
      decades[mel * frameCount + index] = decade;
      loudest = Math.max(loudest, decade);
    }
  }
  return decades.map((decade) => (Math.max(decade, loudest - RANGE_DECADES) + 4) / 4);
}

/** Triangles of equal area, evenly spaced in mels; each as its first bin and the weights from there. */
function melFilters(): { first: number; weights: Float64Array }[] {
  const top = LINEAR_MELS + Math.log(SPEECH_SAMPLE_RATE_HZ / 2 / LINEAR_HZ) / LOG_STEP;
  const edges = Array.from({ length: MELS + 2 }, (_, i) => hertz((top * i) / (MELS + 1)));
  return Array.from({ length: MELS }, (_, mel) => {
    const [low, middle, high] = edges.slice(mel, mel + 3);
    const weights = Array.from({ length: BINS }, (_, bin) => {
      const frequency = (bin * SPEECH_SAMPLE_RATE_HZ) / FRAME_SAMPLES;
      const height = Math.min((frequency - low) / (middle - low), (high - frequency) / (high - middle));
      return (Math.max(0, height) * 2) / (high - low);
    });
    const first = weights.findIndex((weight) => weight > 0);
    const last = weights.findLastIndex((weight) => weight > 0);
    return { first, weights: Float64Array.from(weights.slice(first, last + 1)) };
  });
}

function hertz(mels: number): number {
  return mels < LINEAR_MELS ? (mels * LINEAR_HZ) / LINEAR_MELS : LINEAR_HZ * Math.exp(LOG_STEP * (mels - LINEAR_MELS));
}
