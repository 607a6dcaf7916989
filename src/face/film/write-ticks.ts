// Writes ticks as a film, with the mark that it is generated.
import { FRAME_RATE_FPS } from "../../../shared/units.ts";
import { Mp4Writer } from "../../signal/media/mp4-writer.ts";
import type { FilmTick } from "./film-ticks.ts";
import { generatedMark } from "./generated-mark.ts";

export interface TickTarget {
  /** Size of the frames. */
  avatar: { widthPx: number; heightPx: number };
  /** File to write. It appears whole or not at all. */
  path: string;
  /** As in `MediaToolOptions`. */
  ffmpegPath?: string;
  /** Stops the film with its reason. */
  signal?: AbortSignal;
  /** Gets the number of frames that were written. */
  onFrame?(count: number): void;
}

/** Returns the number of frames. Throws EngineError (unavailable without a media program, program-failed if it failed),
 *  the signal's reason, and what the ticks throw. */
export async function writeTicks(
  ticks: AsyncIterable<FilmTick>,
  sampleRateHz: number,
  target: TickTarget,
): Promise<number> {
  const { avatar, path, ffmpegPath, signal, onFrame } = target;
  signal?.throwIfAborted();
  const writer = Mp4Writer.open(path, {
    widthPx: avatar.widthPx,
    heightPx: avatar.heightPx,
    frameRateFps: FRAME_RATE_FPS,
    sampleRateHz,
    appendix: generatedMark(),
    ffmpegPath,
  });
  try {
    let frames = 0;
    for await (const tick of ticks) {
      signal?.throwIfAborted();
      await writer.writeFrame(tick.videoFrame);
      await writer.writeAudio(tick.audio);
      frames += 1;
      onFrame?.(frames);
    }
    await writer.finish();
    return frames;
  } finally {
    await writer.abort();
  }
}
