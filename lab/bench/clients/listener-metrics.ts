// Metrics of one listener who decodes: what a person in the room would have seen and heard.
import type { HeardAudio } from "../../../cli/demo/avatar-listener.ts";
import type { SpeechMeter } from "../../../cli/demo/speech-meter.ts";
import { alignSpeech, delaysOf } from "../audio-delay.ts";
import { countAudioHoles } from "../audio-holes.ts";
import { summarize } from "../percentile.ts";
import type { SentPiece } from "../speech-sender.ts";

/** A frame that comes this much after the previous one is late, ms: its own time and another frame's have passed. */
export const LATE_FRAME_MS = 80;

export interface ListenerMetrics {
  fps: number;
  /** Share of frames that came more than 80 ms after the previous one, %. */
  late_frames_percent: number;
  longest_frame_gap_ms: number;
  /** Places of 5 ms or more where nothing was heard while the sender spoke. */
  audio_holes: number;
  /** From sending to hearing, over half-seconds of speech; null if none was recognized. */
  audio_ms: { p50: number; p95: number; max: number } | null;
  /** The same to the movement of the mouth: audio plus A/V offset. */
  mouth_ms: { p50: number; p95: number } | null;
  /** A/V offset: positive if the mouth is late. Null with less than a second of frames. */
  skew_ms: number | null;
  /** Correlation of mouth and audio at that offset, 0 to 1. A low one makes the offset worthless. */
  sync_strength: number | null;
}

/** Metrics of what was seen and heard while `sent` was spoken. Times of both are of one clock. */
export function listenerMetrics(
  meter: SpeechMeter,
  sent: readonly SentPiece[],
  heard: readonly HeardAudio[],
): ListenerMetrics {
  const gaps = meter.frameGapsMs();
  const alignment = alignSpeech(sent, heard);
  const delays = delaysOf(alignment);
  const audio = delays.length > 0 ? summarize(delays) : null;
  const sync = meter.frameCount > 25 ? meter.measureLipSync() : null;
  const late = gaps.filter((gap) => gap > LATE_FRAME_MS).length;
  const offset = (ms: number) => Math.round(ms + (sync?.skewMs ?? 0));
  return {
    fps: Math.round(meter.receivedFps() * 10) / 10,
    late_frames_percent: gaps.length === 0 ? 0 : Math.round((late / gaps.length) * 1000) / 10,
    longest_frame_gap_ms: Math.round(meter.longestFrameGapMs()),
    audio_holes: countAudioHoles(alignment),
    audio_ms: audio,
    mouth_ms: audio && sync && { p50: offset(audio.p50), p95: offset(audio.p95) },
    skew_ms: sync?.skewMs ?? null,
    sync_strength: sync?.strength ?? null,
  };
}
