// Writes a rendered speech as a film.
import { fileURLToPath } from "node:url";
import { FRAME_RATE_FPS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { generatedMark } from "../../../src/face/film/generated-mark.ts";
import { Mp4Writer } from "../../../src/signal/media/mp4-writer.ts";
import type { FilmOptions, RenderedStep } from "../avatar.ts";
import { findMediaProgram } from "./find-media-program.ts";

export interface WriteOptions extends FilmOptions {
  path: string | URL;
  signal: AbortSignal | undefined;
  sampleRateHz: number | undefined;
  avatar: { widthPx: number; heightPx: number };
}

/** Returns the number of frames. Throws EngineError (unavailable without FFmpeg, program-failed if it failed), and what
 *  the steps throw. */
export async function writeSteps(steps: AsyncGenerator<RenderedStep>, options: WriteOptions): Promise<number> {
  const { path, avatar, sampleRateHz = PLAYOUT_SAMPLE_RATE_HZ, ffmpegPath, onFrame, signal } = options;
  signal?.throwIfAborted();
  const writer = Mp4Writer.open(path instanceof URL ? fileURLToPath(path) : path, {
    widthPx: avatar.widthPx,
    heightPx: avatar.heightPx,
    frameRateFps: FRAME_RATE_FPS,
    sampleRateHz,
    appendix: generatedMark(),
    ...findMediaProgram("toFile()", ffmpegPath),
  });
  try {
    let frames = 0;
    for await (const { frame, audio } of steps) {
      await writer.writeFrame(frame);
      await writer.writeAudio(audio.samples);
      frames += 1;
      onFrame?.(frames);
    }
    await writer.finish();
    return frames;
  } finally {
    await writer.abort();
  }
}
