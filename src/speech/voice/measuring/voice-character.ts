// What of a voice can be measured in any recording of it, and designed: pitch, pace and timbre.
import { measureVoicePace } from "./voice-pace.ts";
import { LISTENED_SECONDS, measureVoicePitch } from "./voice-pitch.ts";
import { brightnessDb, voiceSpectrum } from "./voice-spectrum.ts";

export interface VoiceCharacter {
  /** Median pitch. */
  pitchHz: number;
  /** Syllables per second of speech; null if there is too little speech. */
  pace: number | null;
  /** Level above 2.5 kHz beside that below, dB; null if the recording lacks high frequencies. */
  brightnessDb: number | null;
}

/** Level of the highs in recordings that have none; voices have −23 to −7. */
const LEAST_BRIGHTNESS_DB = -35;
/** Recordings below this rate, such as telephone calls, lack the highs. */
const LEAST_BRIGHT_RATE_HZ = 16_000;

/** The voice in the first half minute of a recording (mono int16); null if it has no speech. */
export function measureVoiceCharacter(samples: Int16Array, sampleRateHz: number): VoiceCharacter | null {
  const heard = samples.subarray(0, LISTENED_SECONDS * sampleRateHz);
  const pitch = measureVoicePitch(heard, sampleRateHz);
  if (!pitch) return null;
  const spectrum = sampleRateHz < LEAST_BRIGHT_RATE_HZ ? null : voiceSpectrum(heard, sampleRateHz);
  const brightness = spectrum ? brightnessDb(spectrum) : Number.NEGATIVE_INFINITY;
  return {
    pitchHz: pitch.medianHz,
    pace: measureVoicePace(heard, sampleRateHz),
    brightnessDb: brightness < LEAST_BRIGHTNESS_DB ? null : brightness,
  };
}
