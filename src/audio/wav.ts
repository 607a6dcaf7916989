// WAV files: what speech and tests come in, and the one sound format that needs no media library.
import wavDecoder from "wav-decoder";
import { ServiceError } from "../../shared/errors.ts";
import { toInt16Samples } from "./samples.ts";

/** Mono sound of a whole file. */
export interface Sound {
  samples: Int16Array;
  sampleRateHz: number;
}

/** True if the bytes begin as a WAV file does. */
export function isWav(bytes: Uint8Array): boolean {
  return ascii(bytes, 0) === "RIFF" && ascii(bytes, 8) === "WAVE";
}

/** Reads a WAV file (8, 16, 24 or 32 bit PCM, 32 bit float, any number of channels), mixed down to mono at its own rate.
 *  Throws ServiceError VALIDATION_ERROR for anything that is not a readable WAV file. */
export function readWav(bytes: Uint8Array): Sound {
  let decoded: wavDecoder.AudioData;
  try {
    decoded = wavDecoder.decode.sync(new Uint8Array(bytes).buffer, { symmetric: true });
  } catch (cause) {
    throw new ServiceError("VALIDATION_ERROR", "The file is not a WAV file that can be read.", { cause });
  }
  if (!(decoded.numberOfChannels > 0) || !Number.isInteger(decoded.sampleRate) || decoded.sampleRate <= 0) {
    throw new ServiceError("VALIDATION_ERROR", "The WAV file has no channel or no sample rate.");
  }
  const mono = new Float32Array(decoded.length);
  for (const channel of decoded.channelData) {
    for (let i = 0; i < mono.length; i++) mono[i] += channel[i] / decoded.numberOfChannels;
  }
  return { samples: toInt16Samples(mono), sampleRateHz: decoded.sampleRate };
}

/** A mono 16-bit PCM WAV file. */
export function writeWav(sound: Sound): Uint8Array {
  const dataBytes = sound.samples.length * 2;
  const view = new DataView(new ArrayBuffer(44 + dataBytes));
  const text = (offset: number, value: string) => {
    for (let i = 0; i < value.length; i++) view.setUint8(offset + i, value.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + dataBytes, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sound.sampleRateHz, true);
  view.setUint32(28, sound.sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, dataBytes, true);
  for (let i = 0; i < sound.samples.length; i++) view.setInt16(44 + i * 2, sound.samples[i], true);
  return new Uint8Array(view.buffer);
}

function ascii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
