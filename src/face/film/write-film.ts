// Films an avatar that speaks, makes a gesture or rests: from ticks to an MP4.

import type { GestureName } from "../../../shared/gesture-names.ts";
import { FRAME_RATE_FPS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { Mp4Writer } from "../../signal/media/mp4-writer.ts";
import type { Engine } from "../engine/engine.ts";
import type { Avatar } from "../rendering/avatar.ts";
import type { FilmSpeech } from "./film-speech.ts";
import { type FilmTick, filmTicks, gestureTicks, restTicks } from "./film-ticks.ts";
import { generatedMark } from "./generated-mark.ts";

export interface FilmTarget {
  avatar: Avatar;
  /** File to write. It appears whole or not at all. */
  path: string;
  /** As in `MediaToolOptions`. */
  ffmpegPath?: string;
  /** Stops the film with its reason. */
  signal?: AbortSignal;
  /** Gets the number of frames that were written. */
  onFrame?(count: number): void;
}

export interface FilmOrder extends FilmTarget {
  /** A new engine on `avatar`, which is used up by the film. */
  engine: Engine;
  speech: FilmSpeech;
}

export interface GestureFilmOrder extends Omit<FilmOrder, "speech"> {
  gesture: GestureName;
  /** Length of the film. */
  frames: number;
}

export interface RestFilmOrder extends FilmTarget {
  /** Length of the loop; more than 100. */
  frames: number;
}

/** Writes a film of speech: one frame for each 40 ms of the audio, with a mark that it is generated. Returns the number
 *  of frames. Throws EngineError (unavailable without a media program, program-failed if it failed) and the signal's
 *  reason. */
export function writeFilm({ engine, speech, ...target }: FilmOrder): Promise<number> {
  return writeTicks(filmTicks(engine, speech), engine.sampleRateHz, target);
}

/** The same of a gesture, with silence. Throws RangeError if the avatar has no such gesture. */
export function writeGestureFilm({ engine, gesture, frames, ...target }: GestureFilmOrder): Promise<number> {
  return writeTicks(gestureTicks(engine, gesture, frames), engine.sampleRateHz, target);
}

/** The same of an avatar at rest: a loop of `frames`, with silence. */
export function writeRestFilm({ frames, ...target }: RestFilmOrder): Promise<number> {
  return writeTicks(restTicks(target.avatar, frames), PLAYOUT_SAMPLE_RATE_HZ, target);
}

async function writeTicks(ticks: AsyncIterable<FilmTick>, sampleRateHz: number, target: FilmTarget): Promise<number> {
  const { avatar, path, ffmpegPath, signal, onFrame } = target;
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
