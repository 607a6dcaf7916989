// Films an avatar that speaks: from audio to an MP4.
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import type { Engine } from "../engine/engine.ts";
import { Mp4Writer } from "../media/mp4-writer.ts";
import type { Avatar } from "../rendering/avatar.ts";
import type { FilmSpeech } from "./film-speech.ts";
import { filmTicks } from "./film-ticks.ts";
import { generatedMark } from "./generated-mark.ts";

export interface FilmOrder {
  /** A new engine on `avatar`, which is used up by the film. */
  engine: Engine;
  avatar: Avatar;
  speech: FilmSpeech;
  /** File to write. It appears whole or not at all. */
  path: string;
  /** As in `MediaToolOptions`. */
  ffmpegPath?: string;
  /** Stops the film with its reason. */
  signal?: AbortSignal;
  /** Gets the number of frames that were written. */
  onFrame?(count: number): void;
}

/** Writes the film: one frame for each 40 ms of the audio, with a mark that it is generated. Returns the number of
 *  frames. Throws EngineError (unavailable without a media program, program-failed if it failed) and the signal's
 *  reason. */
export async function writeFilm(order: FilmOrder): Promise<number> {
  const { engine, avatar, speech, path, ffmpegPath, signal, onFrame } = order;
  const writer = Mp4Writer.open(path, {
    widthPx: avatar.widthPx,
    heightPx: avatar.heightPx,
    frameRateFps: FRAME_RATE_FPS,
    sampleRateHz: engine.sampleRateHz,
    appendix: generatedMark(),
    ffmpegPath,
  });
  try {
    let frames = 0;
    for await (const tick of filmTicks(engine, speech)) {
      signal?.throwIfAborted();
      await writer.writeFrame(tick.videoFrame);
      await writer.writeAudio(tick.audio);
      onFrame?.(++frames);
    }
    await writer.finish();
    return frames;
  } finally {
    await writer.abort();
  }
}
