// What films the browser can encode: MP4 where it has H.264 and AAC, else WebM.
import {
  type AudioCodec,
  canEncodeAudio,
  canEncodeVideo,
  Mp4OutputFormat,
  type OutputFormat,
  Quality,
  type VideoCodec,
  WebMOutputFormat,
} from "mediabunny";
import { FRAME_RATE_FPS } from "../../../../shared/units.ts";
import { SAMPLE_RATE_HZ } from "../face/decode-audio-file.ts";

/** How frames and audio are encoded. */
export const FILM_QUALITY = new Quality("high");

export interface FilmFormat {
  /** For the visitor: "MP4 (H.264, AAC)". */
  label: string;
  /** Without a dot. */
  extension: "mp4" | "webm";
  video: VideoCodec;
  audio: AudioCodec;
}

/** The best first: what most programs open, then what is smallest. */
const FORMATS: readonly FilmFormat[] = [
  { label: "MP4 (H.264, AAC)", extension: "mp4", video: "avc", audio: "aac" },
  { label: "WebM (VP9, Opus)", extension: "webm", video: "vp9", audio: "opus" },
  { label: "WebM (VP8, Opus)", extension: "webm", video: "vp8", audio: "opus" },
];

/** The format of films of this size; undefined if the browser encodes none. */
export async function findFilmFormat(widthPx: number, heightPx: number): Promise<FilmFormat | undefined> {
  const size = { width: widthPx, height: heightPx, frameRate: FRAME_RATE_FPS, quality: FILM_QUALITY };
  const speech = { numberOfChannels: 1, sampleRate: SAMPLE_RATE_HZ, quality: FILM_QUALITY };
  for (const format of FORMATS) {
    if ((await canEncodeVideo(format.video, size)) && (await canEncodeAudio(format.audio, speech))) return format;
  }
  return undefined;
}

export function containerOf({ extension }: FilmFormat): OutputFormat {
  return extension === "mp4" ? new Mp4OutputFormat({ fastStart: "in-memory" }) : new WebMOutputFormat();
}
