// Writes a film: H.264 frames at a constant 25 fps and AAC audio in an MP4 that starts playing before it is loaded.
import { appendFile, rename, rm } from "node:fs/promises";
import type { ProcessLimits } from "../../../program/child-process/limit-process.ts";
import type { I420Frame } from "../image/i420-frame.ts";
import { limitedCommand } from "./limited-command.ts";
import { MediaProcess, type MediaProcessOptions, ownModuleCommand } from "./media-process.ts";
import { findMediaTool, type MediaTool, type MediaToolOptions } from "./media-tool.ts";

export interface Mp4Options extends MediaToolOptions {
  widthPx: number;
  heightPx: number;
  /** Constant; 25 for everything that the engine makes. */
  frameRateFps: number;
  /** Rate of the mono int16 audio, Hz. */
  sampleRateHz: number;
  /** Whole boxes that are added to the end of the file, such as metadata. Default: none. */
  appendix?: Uint8Array;
  /** The encoder is killed when its file is larger. Default: 20 GB. */
  maxBytes?: number;
  /** An encoder that takes no frame for this time is killed. Default: two minutes. */
  stallMs?: number;
}

/** Options of the encoding process. */
export interface Mp4ProcessOptions extends Omit<Mp4Options, "ffmpegPath" | "appendix" | "maxBytes" | "stallMs"> {
  path: string;
  limits: ProcessLimits;
}

/** Constant quality: close to transparent at 512², about 1 Mbit/s for a talking head. */
export const H264_CRF = 19;
export const H264_PRESET = "veryfast";
/** A quarter less work than the preset alone: on a talking head motion is smooth, so a coarser search finds it with a
 *  tenth more bytes at the same error, and nothing fades, so weighted prediction gains nothing. */
export const H264_PARAMETERS = "subme=1:weightp=0";
export const AAC_BITRATE_BPS = 128_000;
/** Hours of film. */
const MAX_FILE_BYTES = 20_000_000_000;
/** Three times the memory of an encoder at 1080 lines. */
const MAX_ENCODER_MEMORY_BYTES = 1_500_000_000;
/** Frames that may wait for an FFmpeg executable. It opens its inputs one after the other, and waits for the beginning
 *  of the audio before it reads a second frame. */
const WAITING_FRAMES = 8;
/** Limit of an FFmpeg executable, which maps more than it uses for each of its threads. */
const MAX_FFMPEG_ADDRESS_BYTES = 16_000_000_000;
/** Longest life of an encoder, and most CPU time of an FFmpeg executable: hours of film. */
const MAX_ENCODER_MS = 12 * 3_600_000;

/** A film being written. Until `finish` the bytes are in `<path>.partial`; `path` itself appears whole or not at all.
 *  */
export class Mp4Writer {
  readonly path: string;
  readonly #process: MediaProcess;
  readonly #frameBytes: number;
  readonly #appendix: Uint8Array | undefined;
  /** Copies of frames on their way. */
  readonly #waiting: Promise<void>[] = [];
  readonly #maxWaiting: number;
  #isDone = false;
  #aborted: Promise<void> | null = null;

  private constructor(path: string, { process, maxWaiting }: Encoder, { widthPx, heightPx, appendix }: Mp4Options) {
    this.path = path;
    this.#process = process;
    this.#maxWaiting = maxWaiting;
    this.#frameBytes = (widthPx * heightPx * 3) / 2;
    this.#appendix = appendix;
  }

  /** Begins a film. Throws EngineError(unavailable) if there is no media program, RangeError for odd frame
   *  sizes. */
  static open(path: string, options: Mp4Options): Mp4Writer {
    const { widthPx, heightPx } = options;
    if (widthPx % 2 !== 0 || heightPx % 2 !== 0) throw new RangeError("frames must have an even width and height");
    return new Mp4Writer(path, startEncoder(path, options), options);
  }

  /** Adds a frame; waits while the encoder is behind, and then the caller may reuse the frame. Throws
   *  EngineError(program-failed) if the encoder failed. */
  async writeFrame(frame: I420Frame): Promise<void> {
    if (frame.data.length !== this.#frameBytes) throw new RangeError("the frame has another size than the film");
    if (this.#maxWaiting === 0) return this.#process.write(0, frame.data);
    const taken = this.#process.write(0, frame.data.slice());
    // A failure is thrown by the write that waits for it, and by every later one.
    taken.catch(() => undefined);
    this.#waiting.push(taken);
    if (this.#waiting.length > this.#maxWaiting) await this.#waiting.shift();
  }

  /** Adds mono audio at the film's rate. */
  async writeAudio(samples: Int16Array): Promise<void> {
    await this.#process.write(1, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  }

  /** Completes the film and moves it to its place. Throws EngineError(program-failed) if the encoder failed. */
  async finish(): Promise<void> {
    this.#process.endInputs();
    this.#isDone = true;
    try {
      await this.#process.finished();
      if (this.#appendix) await appendFile(partialPath(this.path), this.#appendix);
      await rename(partialPath(this.path), this.path);
    } catch (error) {
      await this.#removePartial();
      throw error;
    }
  }

  /** Aborts and removes the partial file. Idempotent; does nothing after `finish`. */
  async abort(): Promise<void> {
    if (!this.#isDone) this.#aborted = this.#process.kill().then(() => this.#removePartial());
    this.#isDone = true;
    await this.#aborted;
  }

  async #removePartial(): Promise<void> {
    // If it cannot be removed, writing has failed too, and the caller has that error.
    await rm(partialPath(this.path), { force: true }).catch(() => undefined);
  }
}

interface Encoder {
  process: MediaProcess;
  /** Frames that are copied, so that audio need not wait for them. 0: both inputs are read at any time. */
  maxWaiting: number;
}

function partialPath(path: string): string {
  return `${path}.partial`;
}

function startEncoder(path: string, options: Mp4Options): Encoder {
  const tool = findMediaTool(options);
  const process = new MediaProcess({ ...encoderCommand(tool, path, options), stallMs: options.stallMs });
  return { process, maxWaiting: tool.kind === "ffmpeg" ? WAITING_FRAMES : 0 };
}

function encoderCommand(tool: MediaTool, path: string, options: Mp4Options): MediaProcessOptions {
  const { widthPx, heightPx, frameRateFps, sampleRateHz, maxBytes = MAX_FILE_BYTES } = options;
  const partial = partialPath(path);
  if (tool.kind === "node-av") {
    const processOptions: Mp4ProcessOptions = {
      path: partial,
      limits: {
        maxMemoryBytes: MAX_ENCODER_MEMORY_BYTES,
        maxMs: MAX_ENCODER_MS,
        file: { path: partial, maxBytes },
        endsWithParent: true,
      },
      widthPx,
      heightPx,
      frameRateFps,
      sampleRateHz,
    };
    return { inputs: 2, ...ownModuleCommand(new URL("./mp4-process.ts", import.meta.url), processOptions) };
  }
  const unprobed = ["-probesize", "32", "-analyzeduration", "0"];
  const frames = [...unprobed, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", `${widthPx}x${heightPx}`];
  const frameInput = [...frames, "-framerate", String(frameRateFps), "-i", "pipe:0"];
  const audioInput = [...unprobed, "-f", "s16le", "-ar", String(sampleRateHz), "-ac", "1", "-i", "pipe:3"];
  const h264 = ["-c:v", "libx264", "-preset", H264_PRESET, "-crf", String(H264_CRF), "-x264-params", H264_PARAMETERS];
  const colours = ["-color_range", "tv", ...["-colorspace", "-color_primaries", "-color_trc"].flatMap(asBt601)];
  const aac = ["-c:a", "aac", "-b:a", String(AAC_BITRATE_BPS)];
  const output = ["-movflags", "+faststart", "-f", "mp4", partial];
  const streams = ["-map", "0:v", "-map", "1:a", ...h264, "-pix_fmt", "yuv420p", ...colours, ...aac];
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y"];
  const limits = { maxAddressBytes: MAX_FFMPEG_ADDRESS_BYTES, maxCpuMs: MAX_ENCODER_MS, maxFileBytes: maxBytes };
  const ffmpegArguments = [...quiet, ...frameInput, ...audioInput, ...streams, ...output];
  return { inputs: 2, ...limitedCommand(tool.path, ffmpegArguments, limits) };
}

function asBt601(flag: string): string[] {
  return [flag, "smpte170m"];
}
