// Conversions between the two sample formats: int16 (network, files) and float32 in [−1, 1] (models, filters).

/** Converts int16 samples to float32 in [−1, 1): a new array, or the beginning of `target`. Throws RangeError if
 *  `target` is shorter than the samples. */
export function toFloatSamples(samples: Int16Array, target = new Float32Array(samples.length)): Float32Array {
  const output = beginningOf(target, samples.length);
  for (let i = 0; i < samples.length; i++) output[i] = samples[i] / 32_768;
  return output;
}

/** Converts float samples to int16, rounded; values outside [−1, 1) are clipped, NaN becomes 0. The result is a new
 *  array, or the beginning of `target`. Throws RangeError if `target` is shorter than the samples. */
export function toInt16Samples(
  samples: Float32Array,
  target = new Int16Array(samples.length),
): Int16Array<ArrayBuffer> {
  const output = beginningOf(target, samples.length);
  for (let i = 0; i < samples.length; i++) {
    output[i] = Math.min(32_767, Math.max(-32_768, Math.round(samples[i] * 32_768)));
  }
  return output;
}

/** Averages the channels of interleaved int16 audio. An incomplete last sample is ignored. Throws RangeError unless
 *  channels ≥ 1. */
export function mixDownInt16(interleaved: Int16Array, channels: number): Int16Array {
  if (!Number.isInteger(channels) || channels < 1) throw new RangeError(`channels must be at least 1, got ${channels}`);
  if (channels === 1) return interleaved;
  const output = new Int16Array(Math.floor(interleaved.length / channels));
  for (let i = 0; i < output.length; i++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += interleaved[i * channels + channel];
    output[i] = Math.round(sum / channels);
  }
  return output;
}

function beginningOf<Samples extends { length: number; subarray(start: number, end: number): Samples }>(
  target: Samples,
  length: number,
): Samples {
  if (target.length < length) throw new RangeError(`the target holds ${target.length} of ${length} samples`);
  return target.length === length ? target : target.subarray(0, length);
}
