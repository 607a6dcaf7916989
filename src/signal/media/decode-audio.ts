// Reads the audio of any file: WAV by ourselves, everything else by the media program.
import { open, stat } from "node:fs/promises";
import type { ProcessLimits } from "../../../program/child-process/limit-process.ts";
import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from "../audio/resampler.ts";
import { isWav, type PcmAudio, readWav } from "../audio/wav.ts";
import { wavPieces } from "../audio/wav-pieces.ts";
import { limitedCommand } from "./limited-command.ts";
import { MediaProcess, type MediaProcessOptions, ownModuleCommand } from "./media-process.ts";
import { findMediaTool, type MediaToolOptions } from "./media-tool.ts";

/** Longest audio that is read by default. */
const MAX_SECONDS = 3600;
/** Most bytes of int16 that are read: one hour at 48 kHz. */
const MAX_AUDIO_BYTES = MAX_SECONDS * 48_000 * 2;
/** What FFmpeg writes before the samples. */
const HEADER_BYTES = 4096;
/** RIFF header and the format chunk. */
const HEAD_BYTES = 36;
/** Tags that may come before the samples. */
const MAX_WAV_HEADER_BYTES = 1_000_000;
/** Largest WAV file that is read at once: an hour of what is common. */
const MAX_WAV_BYTES = 1_500_000_000;
/** An hour of audio takes about a minute. */
const DEFAULT_TIMEOUT_MS = 600_000;
/** Audio that is read in pieces: days of it, and half a day to render it. */
const MAX_PIECES_SECONDS = 1_000_000;
const MAX_PIECES_MS = 12 * 3_600_000;
/** A decoder that outlives its parent's limit, because the parent is stopped or gone, ends itself. */
const TIMEOUT_MARGIN_MS = 2_000;
/** A decoder streams, so it needs little memory at a time. */
const MAX_DECODER_MEMORY_BYTES = 700_000_000;
/** Limit of an FFmpeg executable: it maps far more than it uses. */
const MAX_FFMPEG_ADDRESS_BYTES = 4_000_000_000;

/** Containers and elementary streams that speech comes in, sound tracks of films among them. A list keeps out
 *  playlists, which name other files and addresses. */
const AUDIO_FORMATS = "aac,ac3,aiff,amr,asf,avi,caf,flac,flv,matroska,mov,mp3,mpegts,ogg,w64,wav";

export interface DecodeOptions extends MediaToolOptions {
  /** Only the beginning is decoded, and the rest of the file ignored. Default: all of it, up to `maxSeconds`. */
  onlySeconds?: number;
  /** Longer audio is refused, at most one hour. Default: one hour. */
  maxSeconds?: number;
  /** The decoder is killed after this time. Default: ten minutes. */
  timeoutMs?: number;
  /** Rate to which the media program converts. WAV that is read here keeps its own. Default: the file's own. */
  programRateHz?: number;
  /** Larger WAV files are left to the media program, because reading them would block this thread. Default: 1.5 GB. */
  maxOwnWavBytes?: number;
  /** Ends the decoder, and rejects with its reason. */
  signal?: AbortSignal;
}

/** Argument of the decoding process. */
export interface DecodeProcessOptions {
  path: string;
  /** As `AUDIO_FORMATS`. */
  formats: string;
  /** It stops after as much. */
  maxSeconds: number;
  /** Absent: the file's own. */
  rateHz: number | undefined;
  limits: ProcessLimits;
}

/** Mono audio of a file at its own rate. Throws EngineError: file-not-found if there is no such file, invalid-input if
 *  it has no readable audio, too-large beyond `maxSeconds`, unavailable if it needs a media program
 *  and there is none, or if that takes too long. Rejects with the signal's reason. */
export async function decodeAudio(path: string, options: DecodeOptions = {}): Promise<PcmAudio> {
  options.signal?.throwIfAborted();
  const head = await readHead(path);
  if (head.length === 0) throw new EngineError("invalid-input", `${path} is empty.`);
  const plain = isWav(head) && (await isOwnSize(path, options)) ? await readPlainWav(path, head, options) : null;
  if (plain) return limitLength(plain, options);
  // A little more than is allowed, so that longer audio is detected.
  const maxSeconds = options.onlySeconds ?? maxSecondsOf(options) + 1;
  const child = new MediaProcess(decoderCommand(path, maxSeconds, options));
  try {
    const audio = limitLength(readWav(await readOutput(child, path, options)), options);
    if (!isReadableRate(audio.sampleRateHz)) throw unreadable(path, `it has ${audio.sampleRateHz} samples per second`);
    return audio;
  } finally {
    await child.kill();
  }
}

/** Mono audio of a file as the media program decodes it, of any length, in pieces: the program waits for the reader.
 *  Ending the loop ends the program. Throws EngineError: invalid-input if the file has no readable audio, unavailable
 *  without a media program. */
export async function* decodePieces(path: string, options: MediaToolOptions = {}): AsyncGenerator<PcmAudio> {
  const child = new MediaProcess(decoderCommand(path, MAX_PIECES_SECONDS, { ...options, timeoutMs: MAX_PIECES_MS }));
  try {
    let isAudible = false;
    for await (const piece of wavPieces(child.output)) {
      isAudible = true;
      yield piece;
    }
    await child.finished();
    if (!isAudible) throw unreadable(path, "no samples");
  } catch (cause) {
    throw isEngineError(cause) && cause.code === "unavailable" ? cause : unreadable(path, cause);
  } finally {
    await child.kill();
  }
}

/** The audio of a WAV file, or at least the part that is needed; null for rare kinds (extensible headers, compressed
 *  audio), which the media program decodes. */
async function readPlainWav(path: string, head: Buffer, options: DecodeOptions): Promise<PcmAudio | null> {
  const isPlain = head.length === HEAD_BYTES && head.toString("latin1", 12, 16) === "fmt ";
  const bytesPerSecond = isPlain ? head.readUInt32LE(24) * head.readUInt16LE(32) : Number.POSITIVE_INFINITY;
  // A second more than is allowed, so that longer audio is detected.
  const seconds = options.onlySeconds ?? maxSecondsOf(options) + 1;
  try {
    const maxBytes = Math.min(MAX_WAV_BYTES, MAX_WAV_HEADER_BYTES + seconds * bytesPerSecond);
    const audio = readWav(await readBeginning(path, maxBytes));
    return isReadableRate(audio.sampleRateHz) ? audio : null;
  } catch {
    return null;
  }
}

async function isOwnSize(path: string, { maxOwnWavBytes = MAX_WAV_BYTES }: DecodeOptions): Promise<boolean> {
  return (await stat(path)).size <= maxOwnWavBytes;
}

/** Whether the engine can take audio of this rate. */
function isReadableRate(sampleRateHz: number): boolean {
  return sampleRateHz >= MIN_SAMPLE_RATE_HZ && sampleRateHz <= MAX_SAMPLE_RATE_HZ;
}

function limitLength({ samples, sampleRateHz }: PcmAudio, options: DecodeOptions): PcmAudio {
  const count = Math.floor((options.onlySeconds ?? maxSecondsOf(options)) * sampleRateHz);
  if (samples.length <= count) return { samples, sampleRateHz };
  if (options.onlySeconds === undefined) throw tooLong(options);
  return { samples: samples.slice(0, count), sampleRateHz };
}

function maxSecondsOf({ maxSeconds = MAX_SECONDS }: DecodeOptions): number {
  return Math.min(maxSeconds, MAX_SECONDS);
}

function tooLong(options: DecodeOptions): EngineError {
  const seconds = maxSecondsOf(options);
  return new EngineError(
    "too-large",
    `The audio is longer than ${seconds === MAX_SECONDS ? "one hour" : `${seconds} seconds`}.`,
  );
}

/** All that the decoder writes, a WAV file. */
async function readOutput(child: MediaProcess, path: string, options: DecodeOptions): Promise<Buffer> {
  const { onlySeconds, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void child.kill();
  }, timeoutMs);
  const leave = () => void child.kill();
  signal?.addEventListener("abort", leave, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of child.output as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_AUDIO_BYTES + HEADER_BYTES) {
        // A file may claim any sample rate, so that its first seconds are larger than an hour of real audio.
        if (onlySeconds !== undefined) break;
        throw tooLong(options);
      }
      chunks.push(chunk);
    }
    if (bytes <= MAX_AUDIO_BYTES + HEADER_BYTES) await child.finished();
  } catch (cause) {
    signal?.throwIfAborted();
    if (isLate) throw new EngineError("unavailable", "The audio could not be decoded in time.", { cause });
    if (isEngineError(cause) && cause.code === "too-large") throw cause;
    throw unreadable(path, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
  return Buffer.concat(chunks);
}

function unreadable(path: string, cause: unknown): EngineError {
  return new EngineError("invalid-input", `${path} has no readable audio.`, { cause });
}

async function readHead(path: string): Promise<Buffer> {
  try {
    return await readBeginning(path, HEAD_BYTES);
  } catch (cause) {
    throw new EngineError("file-not-found", `${path} cannot be opened.`, { cause });
  }
}

async function readBeginning(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(maxBytes, size)), 0, undefined, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function decoderCommand(path: string, maxSeconds: number, options: DecodeOptions): MediaProcessOptions {
  const tool = findMediaTool(options);
  const maxMs = (options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + TIMEOUT_MARGIN_MS;
  if (tool.kind === "node-av") {
    const limits = { maxMemoryBytes: MAX_DECODER_MEMORY_BYTES, maxMs, endsWithParent: true };
    const rateHz = options.programRateHz;
    const decode: DecodeProcessOptions = { path, formats: AUDIO_FORMATS, maxSeconds, rateHz, limits };
    return { inputs: 1, ...ownModuleCommand(new URL("./decode-process.ts", import.meta.url), decode) };
  }
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin", "-threads", "1"];
  const input = ["-protocol_whitelist", "file", "-format_whitelist", AUDIO_FORMATS, "-i", `file:${path}`];
  const output = ["-t", String(maxSeconds), "-vn", "-sn", "-dn", "-ac", "1", "-c:a", "pcm_s16le"];
  if (options.programRateHz !== undefined) output.push("-ar", String(options.programRateHz));
  const limits = { maxAddressBytes: MAX_FFMPEG_ADDRESS_BYTES, maxCpuMs: maxMs, maxFileBytes: 0 };
  return {
    inputs: 0,
    ...limitedCommand(tool.path, [...quiet, ...input, ...output, "-f", "wav", "pipe:1"], limits),
  };
}
