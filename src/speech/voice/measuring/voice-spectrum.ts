// The long-term spectrum of a voice: how bright it is, and how its formants lie beside those of another.

import { atRate } from "../../../signal/audio/at-rate.ts";
import { hannWindow } from "../../../signal/math/hann-window.ts";
import { PowerSpectrum } from "../../../signal/math/power-spectrum.ts";

const RATE_HZ = 16_000;
const FRAME = 512;
const HOP = FRAME / 2;
const BIN_HZ = RATE_HZ / FRAME;
/** Frames quieter than this beside the loudest are pauses, dB. */
const RANGE_DB = 30;
const LOWEST_HZ = 80;
/** Highs are above it: the corner of the filter that changes them. */
const CORNER_HZ = 2_500;
/** Formants are compared in steps of 1/24 octave from here on, over this many. */
const FIRST_BAND_HZ = 400;
const BANDS_PER_OCTAVE = 24;
const BANDS = 3.3 * BANDS_PER_OCTAVE;
/** Largest shift that is tried, bands: the vocal tracts of men and women differ by as much. */
const MOST_SHIFT = 4;
const WINDOW = hannWindow(FRAME);

/** Mean power of each bin of 31.25 Hz up to 8 kHz, over all frames that are not pauses; null if there are none. */
export function voiceSpectrum(samples: Int16Array, sampleRateHz: number): Float64Array | null {
  const audio = atRate(samples, sampleRateHz, RATE_HZ);
  const transform = new PowerSpectrum(FRAME);
  const spectra: Float64Array[] = [];
  const windowed = new Float64Array(FRAME);
  for (let start = 0; start + FRAME <= audio.length; start += HOP) {
    for (let i = 0; i < FRAME; i++) windowed[i] = WINDOW[i] * audio[start + i];
    const frame = new Float64Array(FRAME / 2 + 1);
    transform.transform(windowed, frame);
    spectra.push(frame);
  }
  const powers = spectra.map((spectrum) => spectrum.reduce((sum, power) => sum + power, 0));
  const loudest = powers.reduce((most, power) => Math.max(most, power), 0);
  const heard = spectra.filter((_, index) => powers[index] > loudest * 10 ** (-RANGE_DB / 10));
  if (loudest === 0) return null;
  return new Float64Array(FRAME / 2 + 1).map(
    (_, bin) => heard.reduce((sum, spectrum) => sum + spectrum[bin], 0) / heard.length,
  );
}

/** Level of the frequencies above 2.5 kHz beside those below, dB. Meaningless for recordings below 16 kHz. */
export function brightnessDb(spectrum: Float64Array): number {
  let [low, high] = [0, 0];
  for (const [bin, power] of spectrum.entries()) {
    if (bin * BIN_HZ >= CORNER_HZ) high += power;
    else if (bin * BIN_HZ >= LOWEST_HZ) low += power;
  }
  return 10 * Math.log10(high / low);
}

/** How much higher the formants of a spectrum lie than those of another, octaves, within ±1/6: the shift of the
 *  logarithmic frequency at which their envelopes are most alike. */
export function formantShift(spectrum: Float64Array, reference: Float64Array): number {
  const [own, other] = [envelopeOf(spectrum), envelopeOf(reference)];
  const likeness = (shift: number): number => {
    const from = own.slice(Math.max(0, shift), own.length + Math.min(0, shift));
    const to = other.slice(Math.max(0, -shift), other.length - Math.max(0, shift));
    return correlation(from, to);
  };
  let best = -MOST_SHIFT;
  for (let shift = -MOST_SHIFT; shift <= MOST_SHIFT; shift++) if (likeness(shift) > likeness(best)) best = shift;
  return best / BANDS_PER_OCTAVE;
}

/** Level of each band, dB, each a third of an octave wide, so that single harmonics do not count. */
function envelopeOf(spectrum: Float64Array): number[] {
  const levels = Array.from({ length: BANDS }, (_, band) => {
    const centre = (FIRST_BAND_HZ * 2 ** (band / BANDS_PER_OCTAVE)) / BIN_HZ;
    const [from, to] = [Math.round(centre / 2 ** (1 / 6)), Math.round(centre * 2 ** (1 / 6))];
    const bins = [...spectrum.subarray(from, to + 1)];
    return 10 * Math.log10(bins.reduce((sum, power) => sum + power, 1) / bins.length);
  });
  // Without its slope, which is brightness.
  const middle = (levels.length - 1) / 2;
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  const slope =
    levels.reduce((sum, level, band) => sum + (band - middle) * (level - mean), 0) /
    levels.reduce((sum, _, band) => sum + (band - middle) ** 2, 0);
  return levels.map((level, band) => level - mean - slope * (band - middle));
}

function correlation(left: readonly number[], right: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [leftMean, rightMean] = [mean(left), mean(right)];
  let [product, leftPower, rightPower] = [0, 0, 0];
  for (let i = 0; i < left.length; i++) {
    const [a, b] = [left[i] - leftMean, right[i] - rightMean];
    product += a * b;
    leftPower += a * a;
    rightPower += b * b;
  }
  return product / Math.sqrt(leftPower * rightPower);
}
