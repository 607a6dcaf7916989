// Low-pass filters for the resampler: one short filter per position (phase) of an output sample between two input
// samples.

/** `coefficients[phase · taps + tap]`; phase p belongs to a position p / phases behind an input sample. */
export interface FilterBank {
  /** Even. The filter spans `taps / 2 - 1` samples before and `taps / 2` after the position. */
  taps: number;
  phases: number;
  coefficients: Float64Array;
}

/** Zero crossings of the sinc on each side: 24 with the window below give 80 dB of attenuation 8 % above the
 *  cut-off. */
const ZERO_CROSSINGS = 24;
/** Kaiser's beta for 80 dB. Source: Kaiser's formula, beta = 0.1102 (A − 8.7). */
const KAISER_BETA = 7.86;
/** Pass band edge as a share of the lower of the two Nyquist frequencies; the rest is the transition. */
const CUT_OFF = 0.94;
/** Most filters of a bank. Ratios that need more use the nearest filter: an error of at most 1/8192 sample, −68 dB. */
const MAX_PHASES = 4096;
/** Most cached banks, so that many different rates cannot fill the memory. */
const MAX_CACHED_BANKS = 8;

const cachedBanks = new Map<string, FilterBank>();

/** The bank for a pair of rates in Hz (whole, positive, different). Computed once for each of the last eight pairs. */
export function filterBankFor(inputRateHz: number, outputRateHz: number): FilterBank {
  const key = `${inputRateHz}/${outputRateHz}`;
  const cached = cachedBanks.get(key);
  if (cached) return cached;
  const bank = designFilterBank(inputRateHz, outputRateHz);
  if (cachedBanks.size >= MAX_CACHED_BANKS) cachedBanks.delete(cachedBanks.keys().next().value!);
  cachedBanks.set(key, bank);
  return bank;
}

function designFilterBank(inputRateHz: number, outputRateHz: number): FilterBank {
  const phases = Math.min(MAX_PHASES, outputRateHz / greatestCommonDivisor(inputRateHz, outputRateHz));
  // When downsampling, the lower rate sets the width of the filter in time.
  const bandwidth = Math.min(1, outputRateHz / inputRateHz) * CUT_OFF;
  const halfTaps = Math.ceil(ZERO_CROSSINGS / bandwidth);
  const taps = halfTaps * 2;
  const coefficients = new Float64Array(phases * taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - (halfTaps - 1) - phase / phases;
      const value = sinc(distance * bandwidth) * kaiser(distance / halfTaps);
      coefficients[phase * taps + tap] = value;
      sum += value;
    }
    // Each phase has unit gain at DC, so that a constant stays constant.
    for (let tap = 0; tap < taps; tap++) coefficients[phase * taps + tap] /= sum;
  }
  return { taps, phases, coefficients };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Kaiser window at x in [−1, 1]; 0 outside. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(KAISER_BETA * Math.sqrt(1 - x * x)) / besselI0(KAISER_BETA);
}

/** Modified Bessel function of order zero by its power series. */
function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-10; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
