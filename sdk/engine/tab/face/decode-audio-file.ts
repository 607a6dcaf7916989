// Audio files as the engine takes them.
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import { toInt16Samples } from "../../../../src/signal/audio/samples.ts";

/** Rate of everything that plays on the page, Hz: whole samples in 40 ms. */
export const SAMPLE_RATE_HZ = PLAYOUT_SAMPLE_RATE_HZ;

/** Mono int16 at the context's rate from any file that the browser can read (WAV everywhere). Rejects with its reason
 *  for others. */
export async function decodeAudioFile(audio: BaseAudioContext, file: ArrayBuffer): Promise<Int16Array> {
  const decoded = await audio.decodeAudioData(file);
  const mono = new Float32Array(decoded.length);
  for (let channel = 0; channel < decoded.numberOfChannels; channel++) {
    const samples = decoded.getChannelData(channel);
    for (let i = 0; i < mono.length; i++) mono[i] += samples[i] / decoded.numberOfChannels;
  }
  return toInt16Samples(mono);
}
