// The audio of realtime events: base64 of 24 kHz PCM, or of the telephone's codecs.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { decodeG711, encodeG711, G711_SAMPLE_RATE_HZ } from "../../signal/audio/g711.ts";
import { PcmDecoder } from "../../signal/audio/pcm-decoder.ts";
import { Resampler } from "../../signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../signal/audio/samples.ts";
import { RealtimeError } from "./realtime-error.ts";

/** As the beta calls them. */
export type AudioFormat = "pcm16" | "g711_ulaw" | "g711_alaw";

const PCM_SAMPLE_RATE_HZ = 24_000;
const NOT_BASE64 = /[^A-Za-z0-9+/=\s]/;

/** Samples in a second of audio of a format. */
export function rateOf(format: AudioFormat): number {
  return format === "pcm16" ? PCM_SAMPLE_RATE_HZ : G711_SAMPLE_RATE_HZ;
}

/** What a client sends, as audio that can be heard. One for each stream. */
export class AudioReader {
  readonly format: AudioFormat;
  readonly #decoder = new PcmDecoder(1);
  readonly #resampler: Resampler;

  constructor(format: AudioFormat) {
    this.format = format;
    this.#resampler = new Resampler(rateOf(format), SPEECH_SAMPLE_RATE_HZ);
  }

  /** Mono samples at 16 kHz. A sample may be cut in two by the end of an event. Throws RealtimeError if it is not
   *  base64. */
  read(base64: string): Int16Array {
    if (NOT_BASE64.test(base64)) {
      throw new RealtimeError("The audio is not valid base64.", { code: "invalid_value", param: "audio" });
    }
    const bytes = Buffer.from(base64, "base64");
    const { format } = this;
    const samples =
      format === "pcm16" ? this.#decoder.push(bytes) : decodeG711(bytes, format === "g711_ulaw" ? "ulaw" : "alaw");
    return toInt16Samples(this.#resampler.push(toFloatSamples(samples)));
  }
}

/** What a voice says, as a client gets it. One for each piece of audio of one rate. */
export class AudioWriter {
  readonly #format: AudioFormat;
  #resampler: Resampler | undefined;

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  /** Bytes of the format. `samples`: mono. */
  write(samples: Int16Array, sampleRateHz: number): Uint8Array {
    const before = this.#resampler?.inputRateHz === sampleRateHz ? new Uint8Array(0) : this.end();
    this.#resampler ??= new Resampler(sampleRateHz, rateOf(this.#format));
    return Buffer.concat([before, this.#encode(this.#resampler.push(toFloatSamples(samples)))]);
  }

  /** What the resampler holds. */
  end(): Uint8Array {
    const rest = this.#resampler?.flush() ?? new Float32Array(0);
    this.#resampler = undefined;
    return this.#encode(rest);
  }

  #encode(audio: Float32Array): Uint8Array {
    const samples = toInt16Samples(audio);
    if (this.#format === "pcm16") return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    return encodeG711(samples, this.#format === "g711_ulaw" ? "ulaw" : "alaw");
  }
}
