// Reads and writes WAV files, the only audio format that needs no media library.
/// <reference path="./wav-decoder.d.ts" />
import wavDecoder from "wav-decoder";
import { EngineError } from "../../../shared/engine-error.ts";
import { toInt16Samples } from "./samples.ts";

const HEADER_BYTES = 44;
/** Before the chunks, and before the content of each. */
const RIFF_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** Content of the shortest format chunk. */
const FORMAT_BYTES = 16;
/** Most channels that a recording has. */
const MAX_CHANNELS = 32;
/** Size field of a stream of unknown length, as FFmpeg writes it. Readers read to the end. */
const UNKNOWN_DATA_BYTES = 0xffff_ffff - 36;

/** Mono audio of a whole file. */
export interface PcmAudio {
  samples: Int16Array;
  sampleRateHz: number;
}

/** True if the bytes begin with a WAV header. */
export function isWav(bytes: Uint8Array): boolean {
  return ascii(bytes, 0) === "RIFF" && ascii(bytes, 8) === "WAVE";
}

/** Reads a WAV file (8, 16, 24 or 32 bit PCM, 32 bit float, any number of channels), mixed down to mono at its own
 *  rate. Throws EngineError(invalid-input) for anything that is not a readable WAV file. */
export function readWav(bytes: Uint8Array): PcmAudio {
  assertSaneFormat(bytes);
  let decoded: wavDecoder.AudioData;
  try {
    decoded = wavDecoder.decode.sync(new Uint8Array(bytes).buffer, { symmetric: true });
  } catch (cause) {
    throw new EngineError("invalid-input", "The file is not a readable WAV file.", { cause });
  }
  if (!(decoded.numberOfChannels > 0) || !Number.isInteger(decoded.sampleRate) || decoded.sampleRate <= 0) {
    throw new EngineError("invalid-input", "The WAV file has no channel or no sample rate.");
  }
  const mono = new Float32Array(decoded.length);
  for (const channel of decoded.channelData) {
    for (let i = 0; i < mono.length; i++) mono[i] += channel[i] / decoded.numberOfChannels;
  }
  return { samples: toInt16Samples(mono), sampleRateHz: decoded.sampleRate };
}

/** Returns a mono 16-bit PCM WAV file. */
export function writeWav({ samples, sampleRateHz }: PcmAudio): Uint8Array {
  const header = wavHeader({ sampleRateHz, sampleCount: samples.length });
  const file = new Uint8Array(header.length + samples.length * 2);
  file.set(header);
  const view = new DataView(file.buffer, header.length);
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i], true);
  return file;
}

/** Returns the header (44 bytes) of a mono 16-bit PCM WAV file; without `sampleCount`, the header of a stream of
 *  unknown length. */
export function wavHeader({
  sampleRateHz,
  sampleCount,
}: {
  sampleRateHz: number;
  sampleCount: number | null;
}): Uint8Array {
  const dataBytes = sampleCount === null ? UNKNOWN_DATA_BYTES : sampleCount * 2;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES));
  const text = (offset: number, value: string) => {
    for (let i = 0; i < value.length; i++) view.setUint8(offset + i, value.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + dataBytes, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, dataBytes, true);
  return new Uint8Array(view.buffer);
}

/** Throws EngineError(invalid-input) if the format contradicts itself: memory is reserved by what it says, for each
 *  channel. */
function assertSaneFormat(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = RIFF_BYTES;
  while (at + CHUNK_HEADER_BYTES + FORMAT_BYTES <= bytes.length && ascii(bytes, at) !== "fmt ") {
    at += CHUNK_HEADER_BYTES + view.getUint32(at + 4, true);
  }
  if (at + CHUNK_HEADER_BYTES + FORMAT_BYTES <= bytes.length) {
    const channels = view.getUint16(at + 10, true);
    const blockBytes = view.getUint16(at + 20, true);
    const bits = view.getUint16(at + 22, true);
    if (channels >= 1 && channels <= MAX_CHANNELS && blockBytes === (channels * bits) / 8) return;
  }
  throw new EngineError("invalid-input", "The WAV file has no plausible format.");
}

function ascii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
