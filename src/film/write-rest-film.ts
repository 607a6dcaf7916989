// Films an avatar at rest, as a loop without sound to hear.
import { FRAME_RATE_FPS, PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Mp4Writer } from "../media/mp4-writer.ts";
import type { Avatar } from "../rendering/avatar.ts";
import { generatedMark } from "./generated-mark.ts";
import { restLoop } from "./rest-loop.ts";

export interface RestFilmOrder {
  avatar: Avatar;
  /** Length of the loop. */
  frames: number;
  /** File to write. It appears whole or not at all. */
  path: string;
  /** As in `MediaToolOptions`. */
  ffmpegPath?: string;
}

/** Writes the film, with silence and the mark that it is generated. Throws EngineError: unavailable without a media
 *  program, program-failed if it failed. */
export async function writeRestFilm({ avatar, frames, path, ffmpegPath }: RestFilmOrder): Promise<void> {
  const silence = new Int16Array(PLAYOUT_SAMPLE_RATE_HZ / FRAME_RATE_FPS);
  const writer = Mp4Writer.open(path, {
    widthPx: avatar.widthPx,
    heightPx: avatar.heightPx,
    frameRateFps: FRAME_RATE_FPS,
    sampleRateHz: PLAYOUT_SAMPLE_RATE_HZ,
    appendix: generatedMark(),
    ffmpegPath,
  });
  try {
    for (const { parameters, breath } of restLoop(avatar, frames)) {
      await writer.writeFrame(await avatar.render(parameters, breath));
      await writer.writeAudio(silence);
    }
    await writer.finish();
  } finally {
    await writer.abort();
  }
}
