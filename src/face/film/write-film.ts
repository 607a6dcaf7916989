// Films an avatar that speaks, makes a gesture or rests: from ticks to an MP4.

import type { GestureName } from "../../../shared/gesture-names.ts";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { Engine } from "../engine/engine.ts";
import type { Avatar } from "../rendering/avatar.ts";
import type { FilmSpeech } from "./film-speech.ts";
import { filmTicks, gestureTicks, restTicks } from "./film-ticks.ts";
import { type TickTarget, writeTicks } from "./write-ticks.ts";

interface FilmTarget extends TickTarget {
  avatar: Avatar;
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
