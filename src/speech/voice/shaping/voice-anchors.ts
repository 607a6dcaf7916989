// How the voices of the catalogue were measured, and where they lie on the axes.
import { VOICE_IDS, type VoiceId } from "../voice-catalogue.ts";
import { AXIS_NAMES, type AxisName, BRIGHTNESS_DB, FORMANT_SHARE } from "./voice-axes.ts";

export interface VoiceAnchor {
  /** Median pitch. */
  pitchHz: number;
  /** Syllables per second of speech, at the default speed. */
  pace: number;
  /** Level above 2.5 kHz beside that below. */
  brightnessDb: number;
  /** How much higher the formants lie than those of the mean spectrum of all voices, octaves. */
  formants: number;
}

/** Half a minute of English by the neural voice. Source: `npm run bench -- voice-anchors`. */
export const VOICE_ANCHORS: Readonly<Record<VoiceId, VoiceAnchor>> = Object.freeze({
  M1: { pitchHz: 117, pace: 5.06, brightnessDb: -11.9, formants: -0.08 },
  M2: { pitchHz: 112, pace: 4.65, brightnessDb: -14.7, formants: -0.04 },
  M3: { pitchHz: 145, pace: 4.95, brightnessDb: -13.8, formants: 0.04 },
  M4: { pitchHz: 140, pace: 4.54, brightnessDb: -15.8, formants: -0.08 },
  M5: { pitchHz: 119, pace: 4.58, brightnessDb: -6.9, formants: 0 },
  F1: { pitchHz: 196, pace: 5.45, brightnessDb: -14.6, formants: 0.17 },
  F2: { pitchHz: 201, pace: 5.15, brightnessDb: -18.2, formants: -0.12 },
  F3: { pitchHz: 178, pace: 5.15, brightnessDb: -11.6, formants: 0.08 },
  F4: { pitchHz: 152, pace: 4.81, brightnessDb: -18.7, formants: 0 },
  F5: { pitchHz: 180, pace: 5.3, brightnessDb: -22.0, formants: 0.08 },
});

/** Where a voice was measured to lie on an axis; 0 is the mean of all voices. */
export function projectionOf(voiceId: VoiceId, axis: AxisName): number {
  return Math.round(1000 * (placeOf(VOICE_ANCHORS[voiceId], axis) - MEAN_PLACES[axis])) / 1000;
}

const MEAN_PLACES = Object.fromEntries(
  AXIS_NAMES.map((axis) => {
    const places = VOICE_IDS.map((id) => placeOf(VOICE_ANCHORS[id], axis));
    return [axis, places.reduce((sum, place) => sum + place, 0) / places.length];
  }),
) as Record<AxisName, number>;

/** In the units of the axis. */
function placeOf({ pitchHz, pace, brightnessDb, formants }: VoiceAnchor, axis: AxisName): number {
  switch (axis) {
    // The axis moves pitch and formants in this proportion: the nearest point on it.
    case "gender":
      return (Math.log2(pitchHz) + FORMANT_SHARE * formants) / (1 + FORMANT_SHARE ** 2);
    case "pitch":
      return Math.log2(pitchHz);
    case "rate":
      return Math.log2(pace);
    case "brightness":
      return brightnessDb / BRIGHTNESS_DB;
  }
}
