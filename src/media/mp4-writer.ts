// Writes a film: H.264 frames at a constant 25 fps and AAC audio in an MP4 that starts playing before it is loaded.
import { appendFile, rename, rm } from "node:fs/promises";
import type { I420Frame } from "../rendering/i420-frame.ts";
import { MediaProcess, type MediaProcessOptions, ownModuleCommand } from "./media-process.ts";
import { findMediaTool, type MediaToolOptions } from "./media-tool.ts";

export interface Mp4Options extends MediaToolOptions {
  widthPx: number;
  heightPx: number;
  /** Constant; 25 for everything that the engine makes. */
  frameRateFps: number;
  /** Rate of the mono int16 audio, Hz. */
  sampleRateHz: number;
  /** Whole boxes that are added to the end of the file, such as metadata. Default: none. */
  appendix?: Uint8Array;
}

/** Options of the encoding process. */
export interface Mp4ProcessOptions extends Omit<Mp4Options, "ffmpegPath" | "appendix"> {
  path: string;
}

/** Constant quality: close to transparent at 512², about 1 Mbit/s for a talking head. */
export const H264_CRF = 19;
export const H264_PRESET = "veryfast";
/** A quarter less work than the preset alone: on a talking head motion is smooth, so a coarser search finds it with a
 *  tenth more bytes at the same error, and nothing fades, so weighted prediction gains nothing. */
export const H264_PARAMETERS = "subme=1:weightp=0";
export const AAC_BITRATE_BPS = 128_000;

/** A film being written. Until `finish` the bytes are in `<path>.partial`; `path` itself appears whole or not at all.
 *  */
export class Mp4Writer {
  readonly path: string;
  readonly #process: MediaProcess;
  readonly #frameBytes: number;
  readonly #appendix: Uint8Array | undefined;
  #isDone = false;

  private constructor(path: string, process: MediaProcess, { widthPx, heightPx, appendix }: Mp4Options) {
    this.path = path;
    this.#process = process;
    this.#frameBytes = (widthPx * heightPx * 3) / 2;
    this.#appendix = appendix;
  }

  /** Begins a film. Throws EngineError(unavailable) if there is no media program, RangeError for odd frame
   *  sizes. */
  static open(path: string, options: Mp4Options): Mp4Writer {
    const { widthPx, heightPx } = options;
    if (widthPx % 2 !== 0 || heightPx % 2 !== 0) throw new RangeError("frames must have an even width and height");
    return new Mp4Writer(path, new MediaProcess(writerCommand(path, options)), options);
  }

  /** Adds a frame; waits while the encoder is behind, and then the caller may reuse the frame. Throws
   *  EngineError(program-failed) if the encoder failed. */
  async writeFrame(frame: I420Frame): Promise<void> {
    if (frame.data.length !== this.#frameBytes) throw new RangeError("the frame has another size than the film");
    await this.#process.write(0, frame.data);
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
    if (this.#isDone) return;
    this.#isDone = true;
    await this.#process.kill();
    await this.#removePartial();
  }

  async #removePartial(): Promise<void> {
    // If it cannot be removed, writing has failed too, and the caller has that error.
    await rm(partialPath(this.path), { force: true }).catch(() => undefined);
  }
}

function partialPath(path: string): string {
  return `${path}.partial`;
}

function writerCommand(path: string, options: Mp4Options): MediaProcessOptions {
  const tool = findMediaTool(options);
  const { widthPx, heightPx, frameRateFps, sampleRateHz } = options;
  if (tool.kind === "node-av") {
    const processOptions: Mp4ProcessOptions = {
      path: partialPath(path),
      widthPx,
      heightPx,
      frameRateFps,
      sampleRateHz,
    };
    return { inputs: 2, ...ownModuleCommand(new URL("./mp4-process.ts", import.meta.url), processOptions) };
  }
  const frames = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", `${widthPx}x${heightPx}`];
  const frameInput = [...frames, "-framerate", String(frameRateFps), "-i", "pipe:0"];
  const audioInput = ["-f", "s16le", "-ar", String(sampleRateHz), "-ac", "1", "-i", "pipe:3"];
  const h264 = ["-c:v", "libx264", "-preset", H264_PRESET, "-crf", String(H264_CRF), "-x264-params", H264_PARAMETERS];
  const colours = ["-color_range", "tv", ...["-colorspace", "-color_primaries", "-color_trc"].flatMap(asBt601)];
  const aac = ["-c:a", "aac", "-b:a", String(AAC_BITRATE_BPS)];
  const output = ["-movflags", "+faststart", "-f", "mp4", partialPath(path)];
  const streams = ["-map", "0:v", "-map", "1:a", ...h264, "-pix_fmt", "yuv420p", ...colours, ...aac];
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y"];
  return {
    inputs: 2,
    command: tool.path,
    commandArguments: [...quiet, ...frameInput, ...audioInput, ...streams, ...output],
  };
}

function asBt601(flag: string): string[] {
  return [flag, "smpte170m"];
}
