// A whole recording at another rate.
import { Resampler } from "../../audio/resampler.ts";

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
