// Encodes mono audio as it is made, by the media program in a process of its own.
import type { ProcessLimits } from "../../../program/child-process/limit-process.ts";
import { limitedCommand } from "./limited-command.ts";
import { MediaProcess, type MediaProcessOptions, ownModuleCommand } from "./media-process.ts";
import { findMediaTool, type MediaToolOptions } from "./media-tool.ts";

export const ENCODED_FORMATS = ["mp3", "opus", "aac", "flac"] as const;
export type EncodedFormat = (typeof ENCODED_FORMATS)[number];

export interface EncodingDetails {
  /** Rate that the samples must have. */
  sampleRateHz: number;
  /** Media type of the result. */
  contentType: string;
  /** FFmpeg's names of encoder and container. */
  encoder: string;
  container: string;
  /** Bits per second; absent for lossless encoders. */
  bitRateBps?: number;
}

/** Bit rates at which speech of one channel has no audible loss. */
export const ENCODINGS: Readonly<Record<EncodedFormat, EncodingDetails>> = Object.freeze({
  mp3: {
    sampleRateHz: 44_100,
    contentType: "audio/mpeg",
    encoder: "libmp3lame",
    container: "mp3",
    bitRateBps: 96_000,
  },
  opus: {
    sampleRateHz: 48_000,
    contentType: "audio/ogg; codecs=opus",
    encoder: "libopus",
    container: "ogg",
    bitRateBps: 48_000,
  },
  aac: { sampleRateHz: 44_100, contentType: "audio/aac", encoder: "aac", container: "adts", bitRateBps: 96_000 },
  flac: { sampleRateHz: 44_100, contentType: "audio/flac", encoder: "flac", container: "flac" },
});

/** Options of the encoding process. */
export interface EncodeProcessOptions {
  format: EncodedFormat;
  limits: ProcessLimits;
}

/** Ogg pages end after this time, so that a stream is heard early, µs. */
export const OGG_PAGE_US = 200_000;

/** An encoder streams, so it needs little memory at a time. */
const MAX_ENCODER_MEMORY_BYTES = 500_000_000;
/** It waits for the voice: a text takes a quarter of an hour to speak, and longer beside others. */
const MAX_ENCODER_MS = 2 * 3_600_000;
/** An executable maps more memory than it uses. */
const MAX_ADDRESS_BYTES = 4_000_000_000;
/** Encoding a quarter of an hour takes seconds. */
const MAX_CPU_MS = 600_000;
/** It writes to a pipe. */
const MAX_FILE_BYTES = 1_000_000;

/** The encoded bytes, as they come. `pcm`: mono int16, little-endian, at the format's rate, in parts of any length.
 *  Ending the loop ends the process and the reading of `pcm`. Throws EngineError: unavailable without a media program,
 *  program-failed if it failed; and what `pcm` throws. */
export async function* encodeAudio(
  pcm: AsyncIterable<Uint8Array>,
  format: EncodedFormat,
  options: MediaToolOptions = {},
): AsyncGenerator<Buffer> {
  const child = new MediaProcess(encoderCommand(format, options));
  let failure: { error: unknown } | undefined;
  const feed = async (): Promise<void> => {
    try {
      for await (const part of pcm) await child.write(0, part);
      child.endInputs();
    } catch (error) {
      failure = { error };
      await child.kill();
    }
  };
  const fed = feed();
  try {
    for await (const bytes of child.output as AsyncIterable<Buffer>) yield bytes;
    await fed;
    if (failure) throw failure.error;
    await child.finished();
  } finally {
    await child.kill();
    await fed;
  }
}

function encoderCommand(format: EncodedFormat, options: MediaToolOptions): MediaProcessOptions {
  const tool = findMediaTool(options);
  if (tool.kind === "node-av") {
    const limits = { maxMemoryBytes: MAX_ENCODER_MEMORY_BYTES, maxMs: MAX_ENCODER_MS, endsWithParent: true };
    const encode: EncodeProcessOptions = { format, limits };
    return { inputs: 1, ...ownModuleCommand(new URL("./encode-process.ts", import.meta.url), encode) };
  }
  const { sampleRateHz, encoder, container, bitRateBps } = ENCODINGS[format];
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin"];
  const input = ["-f", "s16le", "-ar", String(sampleRateHz), "-ac", "1", "-i", "pipe:0"];
  const rate = bitRateBps === undefined ? [] : ["-b:a", String(bitRateBps)];
  const pages = container === "ogg" ? ["-page_duration", String(OGG_PAGE_US)] : [];
  const output = ["-flush_packets", "1", ...pages, "-f", container, "pipe:1"];
  const limits = { maxAddressBytes: MAX_ADDRESS_BYTES, maxCpuMs: MAX_CPU_MS, maxFileBytes: MAX_FILE_BYTES };
  return { inputs: 1, ...limitedCommand(tool.path, [...quiet, ...input, "-c:a", encoder, ...rate, ...output], limits) };
}
