// A whole recording at another rate.
import { Resampler } from "./resampler.ts";

/** Mono int16 as float32 of the same scale, at `rateHz`. Throws RangeError for rates outside 8–192 kHz. */
export function atRate(samples: Int16Array, sampleRateHz: number, rateHz: number): Float32Array {
  const resampler = new Resampler(sampleRateHz, rateHz);
  const body = resampler.push(Float32Array.from(samples)).slice();
  const tail = resampler.flush();
  const audio = new Float32Array(body.length + tail.length);
  audio.set(body);
  audio.set(tail, body.length);
  return audio;
}

/** Mono int16 at `rateHz`; the samples themselves if they are. Throws like `atRate`. */
export function int16AtRate(samples: Int16Array, sampleRateHz: number, rateHz: number): Int16Array {
  if (sampleRateHz === rateHz) return samples;
  const audio = atRate(samples, sampleRateHz, rateHz);
  return Int16Array.from(audio, (value) => Math.min(32_767, Math.max(-32_768, Math.round(value))));
}
