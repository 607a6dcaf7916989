// Tasks and results of the film process.
import type { Expression } from "../../../shared/expressions.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { FilmSpeech } from "../../../src/face/film/film-speech.ts";
import type { BakeTask } from "../../agents/portraits/portrait-messages.ts";

export interface FilmTask {
  /** Bytes of an `.imx`, or a portrait to bake one from, which is then written to `bundlePath`. */
  source: { imx: Uint8Array } | { bake: BakeTask; bundlePath: string };
  family: ModelFamily;
  /** Spoken already, or an audio file, with what the face shows meanwhile. */
  speech: FilmSpeech | { path: string; expression?: Expression };
  /** A longer recording is refused. */
  maxSeconds: number;
  /** Files to write. */
  filmPath: string;
  subtitlesPath: string;
  /** Settings of the operator; absent if they are not set. */
  ffmpegPath?: string;
  qualityNetworkPath?: string;
}

/** A film of an agent at rest. */
export interface RestFilmTask {
  /** Bytes of an `.imx`. */
  imx: Uint8Array;
  family: ModelFamily;
  frames: number;
  /** File to write. */
  filmPath: string;
  ffmpegPath?: string;
  qualityNetworkPath?: string;
}

export interface FilmResult {
  /** Number of frames of 40 ms. */
  frames: number;
  /** Whether there are subtitles. */
  hasSubtitles: boolean;
  widthPx: number;
  heightPx: number;
  /** Pixels of the canvas for each pixel of the portrait; null unless it was baked. */
  enlargement: number | null;
}
