// Writes a rendered speech as a film.
import { fileURLToPath } from "node:url";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { FilmTick } from "../../../src/face/film/film-ticks.ts";
import { writeTicks } from "../../../src/face/film/write-ticks.ts";
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
  const { path, sampleRateHz = PLAYOUT_SAMPLE_RATE_HZ, ffmpegPath, ...rest } = options;
  return writeTicks(ticksOf(steps), sampleRateHz, {
    ...rest,
    ...findMediaProgram("toFile()", ffmpegPath),
    path: path instanceof URL ? fileURLToPath(path) : path,
  });
}

async function* ticksOf(steps: AsyncGenerator<RenderedStep>): AsyncGenerator<FilmTick> {
  for await (const { frame, audio } of steps) yield { videoFrame: frame, audio: audio.samples };
}
