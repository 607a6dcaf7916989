// A recording as a small file that every browser's `decodeAudioData` reads where it was made.
import { AudioSample, AudioSampleSource, BufferTarget, canEncodeAudio, Output, WebMOutputFormat } from "mediabunny";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import { Resampler } from "../../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../../src/signal/audio/samples.ts";
import { writeWav } from "../../../../src/signal/audio/wav.ts";
import { SAMPLE_RATE_HZ } from "../face/decode-audio-file.ts";

const BITRATE = 48_000;
const CONFIG = { numberOfChannels: 1, sampleRate: SAMPLE_RATE_HZ, bitrate: BITRATE };

/** Mono int16 at SAMPLE_RATE_HZ as WebM (Opus), 6 kB a second, or, where the browser encodes none, as a WAV of
 *  telephone-like 16 kHz, 32 kB a second. */
export async function encodeSpeech(samples: Int16Array): Promise<Uint8Array> {
  return (await canEncodeAudio("opus", CONFIG)) ? encodeOpus(samples) : encodeWav(samples);
}

async function encodeOpus(samples: Int16Array): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new AudioSampleSource({ codec: "opus", bitrate: BITRATE });
  output.addAudioTrack(source);
  await output.start();
  for (let at = 0; at < samples.length; at += SAMPLE_RATE_HZ) {
    const sample = new AudioSample({
      data: samples.slice(at, at + SAMPLE_RATE_HZ),
      format: "s16",
      numberOfChannels: 1,
      sampleRate: SAMPLE_RATE_HZ,
      timestamp: at / SAMPLE_RATE_HZ,
    });
    await source.add(sample);
    sample.close();
  }
  await output.finalize();
  return new Uint8Array(target.buffer!);
}

function encodeWav(samples: Int16Array): Uint8Array {
  const resampler = new Resampler(SAMPLE_RATE_HZ, SPEECH_SAMPLE_RATE_HZ);
  const floats = toFloatSamples(samples);
  const speech = Float32Array.from([...resampler.push(floats), ...resampler.flush()]);
  return writeWav({ samples: toInt16Samples(speech), sampleRateHz: SPEECH_SAMPLE_RATE_HZ });
}
