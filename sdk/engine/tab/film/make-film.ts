// Makes a film of a face that speaks, in the tab: rendered frame by frame with its own audio, faster than it plays.
import { AudioSample, AudioSampleSource, BufferTarget, Output, VideoSample, VideoSampleSource } from "mediabunny";
import type { Expression } from "../../../../shared/expressions.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import { expectedFrames, type FilmTick, filmTicks } from "../../../../src/face/film/film-ticks.ts";
import { GENERATED_DESCRIPTION, generatedMark } from "../../../../src/face/film/generated-mark.ts";
import { readImx } from "../../../../src/face/imx/read-imx.ts";
import { openAvatar } from "../../../../src/face/rendering/open-avatar.ts";
import { createWebRuntime } from "../../../../src/signal/inference/web-runtime.ts";
import { SAMPLE_RATE_HZ } from "../face/decode-audio-file.ts";
import { containerOf, FILM_QUALITY, type FilmFormat } from "./film-format.ts";

/** Longest film, s: its bytes are kept in memory until it is saved. */
const FILM_LIMIT_S = 300;
/** Frames after which the page gets a moment for other things. */
const FRAMES_AT_A_TIME = 8;
/** I420 as our frames have it. */
const COLOUR = { primaries: "bt709", transfer: "bt709", matrix: "smpte170m", fullRange: false } as const;

export interface FilmOptions {
  /** Bytes of the `.imx`. */
  bundle: Uint8Array;
  lipSyncWeights: Uint8Array | Promise<Uint8Array>;
  /** What is said: mono int16 at SAMPLE_RATE_HZ, not empty. */
  samples: Int16Array;
  /** What the face shows. Default neutral. */
  mood?: Expression;
  format: FilmFormat;
  /** Ends it early. */
  signal: AbortSignal;
  /** Share of the frames that are done, 0 to 1. */
  onProgress(share: number): void;
}

/** The film: one frame for each 40 ms of the audio, with a mark that it is generated. Rejects with RangeError if the
 *  audio is longer than FILM_LIMIT_S, with the signal's reason, and with the errors of engine and encoder. */
export async function makeFilm(options: FilmOptions): Promise<Blob> {
  const { bundle, lipSyncWeights, samples } = options;
  if (samples.length > FILM_LIMIT_S * SAMPLE_RATE_HZ) {
    throw new RangeError(`A film is at most ${FILM_LIMIT_S / 60} minutes long. Choose a shorter recording.`);
  }
  const runtime = await createWebRuntime({ provider: "wasm" });
  const avatar = await openAvatar(await readImx(bundle), runtime);
  try {
    const engine = await createEngine({
      avatar,
      runtime,
      lipSyncModel: await lipSyncWeights,
      sampleRateHz: SAMPLE_RATE_HZ,
      mood: options.mood,
    });
    try {
      const audio = { samples, sampleRateHz: SAMPLE_RATE_HZ };
      return await encode(filmTicks(engine, { audio }), expectedFrames(audio), options);
    } finally {
      await engine.close();
    }
  } finally {
    await avatar.close();
  }
}

async function encode(
  ticks: AsyncIterable<FilmTick>,
  count: number,
  { format, signal, onProgress }: FilmOptions,
): Promise<Blob> {
  const target = new BufferTarget();
  const output = new Output({ format: containerOf(format), target });
  const video = new VideoSampleSource({ codec: format.video, quality: FILM_QUALITY });
  const audio = new AudioSampleSource({ codec: format.audio, quality: FILM_QUALITY });
  output.addVideoTrack(video, { frameRate: 1000 / HOP_MS });
  output.addAudioTrack(audio);
  output.setMetadataTags({ comment: GENERATED_DESCRIPTION });
  try {
    await output.start();
    let frames = 0;
    for await (const tick of ticks) {
      signal.throwIfAborted();
      const timestamp = (frames * HOP_MS) / 1000;
      await Promise.all([addFrame(video, tick, timestamp), addAudio(audio, tick, timestamp)]);
      frames += 1;
      if (frames % FRAMES_AT_A_TIME > 0) continue;
      onProgress(frames / count);
      await new Promise((resolve) => setTimeout(resolve));
    }
    await output.finalize();
  } catch (error) {
    await output.cancel();
    throw error;
  }
  signal.throwIfAborted();
  const mark = format.extension === "mp4" ? [generatedMark()] : [];
  return new Blob([target.buffer!, ...mark], { type: `video/${format.extension}` });
}

async function addFrame(source: VideoSampleSource, { videoFrame }: FilmTick, timestamp: number): Promise<void> {
  // A copy: the encoder may still read it when the next frame is rendered.
  const sample = new VideoSample(videoFrame.data.slice(), {
    format: "I420",
    codedWidth: videoFrame.widthPx,
    codedHeight: videoFrame.heightPx,
    timestamp,
    duration: HOP_MS / 1000,
    colorSpace: COLOUR,
  });
  await source.add(sample);
  sample.close();
}

async function addAudio(source: AudioSampleSource, { audio }: FilmTick, timestamp: number): Promise<void> {
  const sample = new AudioSample({
    data: audio.slice(),
    format: "s16",
    numberOfChannels: 1,
    sampleRate: SAMPLE_RATE_HZ,
    timestamp,
  });
  await source.add(sample);
  sample.close();
}
