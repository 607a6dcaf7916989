// How a voice is changed: four axes around a voice of the catalogue. They change the sound, so they apply to every
// engine; only the tempo is the engine's own.

export const AXIS_NAMES = ["gender", "pitch", "rate", "brightness"] as const;
export type AxisName = (typeof AXIS_NAMES)[number];

/** Position on each axis, within ±MAX_AXIS; 0 is the voice itself. */
export type VoiceAxes = Readonly<Record<AxisName, number>>;

export const NEUTRAL_AXES: VoiceAxes = Object.freeze({ gender: 0, pitch: 0, rate: 0, brightness: 0 });

/** Beyond ±0.3 voices begin to sound processed. Source of 0.3: the contract. */
export const SUGGESTED_AXIS = 0.3;
export const MAX_AXIS = 0.5;

/** Change of the formants for a change of the pitch by one octave on the gender axis, octaves. Women's voices are about
 *  0.8 octaves higher than men's, and their vocal tract is a sixth shorter (0.22 octaves). Source: Titze, "Physiologic
 *  and acoustic differences between male and female voices" (1989). */
export const FORMANT_SHARE = 0.3;
/** Most that the pitch is changed in all, octaves. */
const MAX_PITCH_OCTAVES = 0.8;
/** Change of the high frequencies for 1 on the brightness axis, dB. */
export const BRIGHTNESS_DB = 20;

/** What the axes do to the sound. */
export interface VoiceShape {
  /** Factor of the pitch. */
  pitch: number;
  /** Factor of the formants. */
  formants: number;
  /** Gain of the high frequencies, dB. */
  highsDb: number;
}

export function shapeOf({ gender, pitch, brightness }: VoiceAxes): VoiceShape {
  const octaves = Math.min(MAX_PITCH_OCTAVES, Math.max(-MAX_PITCH_OCTAVES, pitch + gender));
  return { pitch: 2 ** octaves, formants: 2 ** (FORMANT_SHARE * gender), highsDb: BRIGHTNESS_DB * brightness };
}

/** Factor of the tempo. */
export function tempoOf({ rate }: VoiceAxes): number {
  return 2 ** rate;
}

/** Whether the sound stays as it is. */
export function keepsSound({ gender, pitch, brightness }: VoiceAxes): boolean {
  return gender === 0 && pitch === 0 && brightness === 0;
}
