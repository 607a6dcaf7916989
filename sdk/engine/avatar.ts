// What both entries of the package give: an opened avatar, in Node and in a tab.

import type { PcmAudio } from "../../src/signal/audio/wav.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import type { Speech } from "./speech.ts";

/** An `.imx` file: its path (Node), its address, or its bytes. */
export type BundleSource = string | URL | Uint8Array | ArrayBuffer | Blob;

export interface OpenOptions {
  /** Gives up opening, and rejects with its reason. */
  signal?: AbortSignal;
  /** For a tab, where a bundler does not put the files of this package beside the page's script: the address of a copy
   *  of the folder `dist` of the package. Default: found by `import.meta.url`, as Vite, webpack and browsers do. */
  assets?: string | URL;
}

/** `i420`: as encoders and WebRTC take it. `rgba`: as `ImageData` takes it. `bitmap`: an ImageBitmap, in a tab. */
export type FrameFormat = "i420" | "rgba" | "bitmap";

/** Four bytes a pixel, rows from the top, opaque. */
export interface RgbaFrame {
  data: Uint8ClampedArray<ArrayBuffer>;
  widthPx: number;
  heightPx: number;
}

/** A frame by its format. Valid until the next step: `frame.data.slice()` keeps it. */
export interface FrameByFormat {
  i420: I420Frame;
  rgba: RgbaFrame;
  /** The caller's, who closes it. */
  bitmap: ImageBitmap;
}

/** A gesture at a moment of the speech. */
export interface TimedGesture {
  /** One of `avatar.gestures`. */
  name: string;
  atMs: number;
}

/** How the face moves. */
export interface MotionOptions {
  /** Integer. The same seed and audio give the same frames. Default 1. */
  seed?: number;
  /** Size of the mouth's movements: 0 is calm, 0.5 a person in conversation, 1 lively. Default 0.5. */
  expressiveness?: number;
  /** What the face shows: `happy`, or with an intensity `happy:0.6`; one of neutral, happy, sad, angry, surprised,
   *  afraid, disgusted and content. Default neutral. */
  emotion?: string;
  /** How lively the face is by itself. Default `natural`; for `show` in a tab, `still` where the visitor prefers less
   *  motion. */
  manner?: "still" | "natural" | "animated";
}

export interface RenderOptions<Format extends FrameFormat = "i420"> extends MotionOptions {
  /** Default `i420`. */
  format?: Format;
  /** Gestures that are played on the way. */
  gestures?: readonly TimedGesture[];
  /** Rate of the audio that comes with the frames, Hz. Default 48,000. */
  sampleRateHz?: number;
  /** Ends the rendering with its reason. */
  signal?: AbortSignal;
}

/** One frame, and the 40 ms of audio that are heard with it. */
export interface RenderedStep<Format extends FrameFormat = "i420"> {
  frame: FrameByFormat[Format];
  audio: PcmAudio;
}

export interface FilmOptions {
  /** Path of an FFmpeg executable. Default: the package node-av if it is installed, else `ffmpeg` of this system. */
  ffmpegPath?: string;
  /** Gets the number of frames that were written. */
  onFrame?(count: number): void;
}

/** A speech that is being rendered, as fast as it is read: 25 frames for a second of audio. It is read once. Leaving
 *  the loop ends it, and the reading of the speech. */
export interface Rendering<Format extends FrameFormat = "i420"> extends AsyncIterable<RenderedStep<Format>> {
  /** Node: writes an MP4 (H.264, AAC), which appears whole or not at all. Returns the number of frames. */
  toFile(path: string | URL, options?: FilmOptions): Promise<number>;
}

export interface ShowOptions extends MotionOptions {
  /** Plays what is spoken. At 48,000 Hz; it stays the page's, which resumes it when the visitor taps. Default: one that
   *  is made here, and resumed by `speak`. */
  audio?: AudioContext;
}

export interface SpeakOptions {
  /** Stops speaking, and rejects with its reason. */
  signal?: AbortSignal;
}

/** A face that can speak. Several renderings at once take turns. */
export interface Avatar extends AsyncDisposable {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Names of its gestures. */
  readonly gestures: readonly string[];
  /** JPEG of the face at rest, which its first frame equals. */
  readonly poster: Uint8Array<ArrayBuffer>;
  /** Frames and audio of a speech. Errors come from the loop, or from `toFile`. */
  render<Format extends FrameFormat = "i420">(speech: Speech, options?: RenderOptions<Format>): Rendering<Format>;
  /** Tab: the face lives on a canvas from now on; it breathes and looks around until it is told to speak. Resolves with
   *  its first frame. */
  show(canvas: HTMLCanvasElement, options?: ShowOptions): Promise<void>;
  /** Tab: says it aloud, in step with the canvas of `show`. Resolves when all of it was heard, or when a track has
   *  ended. What is spoken next waits for it. */
  speak(speech: Speech, options?: SpeakOptions): Promise<void>;
  /** Tab: plays a gesture now. False if the face has none of that name. */
  gesture(name: string): boolean;
  /** Tab: stops speaking at once. */
  stop(): void;
  /** Releases everything. Renderings that run end with an error. Idempotent; `await using` calls it. */
  close(): Promise<void>;
}
