// Reads the audio of any file: WAV by ourselves, everything else by the media program.
import { open } from "node:fs/promises";
import { isWav, type PcmAudio, readWav } from "../audio/wav.ts";
import { EngineError, isEngineError } from "../engine-error.ts";
import { MediaProcess, type MediaProcessOptions, ownModuleCommand } from "./media-process.ts";
import { findMediaTool, type MediaToolOptions } from "./media-tool.ts";

/** Longest audio that is read by default. */
const MAX_SECONDS = 3600;
/** Most bytes of int16 that are read: one hour at 48 kHz. */
const MAX_AUDIO_BYTES = MAX_SECONDS * 48_000 * 2;
/** What FFmpeg writes before the samples. */
const HEADER_BYTES = 4096;
/** RIFF header and the beginning of the format chunk. */
const HEAD_BYTES = 32;
/** Tags that may come before the samples. */
const MAX_WAV_HEADER_BYTES = 1_000_000;
/** An hour of audio takes about a minute. */
const DEFAULT_TIMEOUT_MS = 600_000;
/** A decoder streams, so it needs little memory at a time. */
export const MAX_DECODER_MEMORY_BYTES = 700_000_000;
/** Limits of an FFmpeg executable: address space (it maps far more than it uses) and CPU time. */
const MAX_FFMPEG_ADDRESS_KB = 4_000_000;
const MAX_FFMPEG_CPU_SECONDS = 600;

/** Containers and elementary streams that speech comes in. A list keeps out playlists, which name other files and
 *  addresses. */
export const AUDIO_FORMATS = "aac,ac3,aiff,amr,caf,flac,matroska,mov,mp3,mpegts,ogg,w64,wav";

export interface DecodeOptions extends MediaToolOptions {
  /** Only the beginning is decoded, and the rest of the file ignored. Default: all of it, up to `maxSeconds`. */
  onlySeconds?: number;
  /** Longer audio is refused, at most one hour. Default: one hour. */
  maxSeconds?: number;
  /** The decoder is killed after this time. Default: ten minutes. */
  timeoutMs?: number;
}

/** Argument of the decoding process. */
export interface DecodeProcessOptions {
  path: string;
  /** It stops after as much. */
  maxSeconds: number;
}

/** Mono audio of a file at its own rate. Throws EngineError: file-not-found if there is no such file, invalid-input if
 *  it has no readable audio, too-large beyond `maxSeconds`, unavailable if it needs a media program
 *  and there is none, or if that takes too long. */
export async function decodeAudio(path: string, options: DecodeOptions = {}): Promise<PcmAudio> {
  const head = await readHead(path);
  if (head.length === 0) throw new EngineError("invalid-input", `${path} is empty.`);
  const plain = isWav(head) ? await readPlainWav(path, head, options) : null;
  if (plain) return limitLength(plain, options);
  const child = new MediaProcess(decoderCommand(path, options));
  try {
    return limitLength(readWav(await readOutput(child, path, options)), options);
  } finally {
    await child.kill();
  }
}

/** The audio of a WAV file, or at least the part that is needed; null for rare kinds (extensible headers, compressed
 *  audio), which the media program decodes. */
async function readPlainWav(path: string, head: Buffer, { onlySeconds }: DecodeOptions): Promise<PcmAudio | null> {
  const isPlain = head.length === HEAD_BYTES && head.toString("latin1", 12, 16) === "fmt ";
  const seconds = onlySeconds ?? Number.POSITIVE_INFINITY;
  const neededBytes = isPlain ? MAX_WAV_HEADER_BYTES + seconds * head.readUInt32LE(28) : Number.POSITIVE_INFINITY;
  const limit = onlySeconds === undefined ? Number.POSITIVE_INFINITY : MAX_AUDIO_BYTES;
  try {
    return readWav(await readBeginning(path, Math.min(limit, neededBytes)));
  } catch {
    return null;
  }
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
  const { onlySeconds, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void child.kill();
  }, timeoutMs);
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
    if (isLate) throw new EngineError("unavailable", "The audio could not be decoded in time.", { cause });
    if (isEngineError(cause) && cause.code === "too-large") throw cause;
    throw new EngineError("invalid-input", `${path} has no readable audio.`, { cause });
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
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

function decoderCommand(path: string, options: DecodeOptions): MediaProcessOptions {
  const tool = findMediaTool(options);
  // A little more than is allowed, so that longer audio is detected.
  const maxSeconds = options.onlySeconds ?? maxSecondsOf(options) + 1;
  if (tool.kind === "node-av") {
    const decode: DecodeProcessOptions = { path, maxSeconds };
    return { inputs: 1, ...ownModuleCommand(new URL("./decode-process.ts", import.meta.url), decode) };
  }
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin"];
  const input = ["-protocol_whitelist", "file", "-format_whitelist", AUDIO_FORMATS, "-i", `file:${path}`];
  const output = ["-t", String(maxSeconds), "-vn", "-ac", "1", "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"];
  return {
    inputs: 0,
    ...limitedCommand(tool.path, [...quiet, ...input, ...output]),
  };
}

/** A command under limits of memory and CPU time, where there is a shell to set them. */
function limitedCommand(command: string, commandArguments: string[]) {
  if (process.platform === "win32") return { command, commandArguments };
  const script = `ulimit -v ${MAX_FFMPEG_ADDRESS_KB}; ulimit -t ${MAX_FFMPEG_CPU_SECONDS}; exec "$0" "$@"`;
  return { command: "/bin/sh", commandArguments: ["-c", script, command, ...commandArguments] };
}
