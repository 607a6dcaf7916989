// Which built-in voice an agent speaks with.
import { nearestVoice } from "../../../src/voice/voice-by-pitch.ts";
import { VOICE_IDS, type VoiceId } from "../../../src/voice/voice-catalogue.ts";
import { type Gender, hash } from "./persona.ts";

/** Between the voices of most men and most women. */
const GENDER_BOUNDARY_HZ = 155;

export interface VoiceRequest {
  prompt: string;
  /** Empty when unknown. */
  gender: Gender;
  /** Median pitch of a sample; null without one. */
  pitchHz: number | null;
}

/** A voice of the gender, nearest to the sample, or by the prompt without one; any of them when the gender is unknown. Equal requests get the
 *  same voice. */
export function chooseVoice({ prompt, gender, pitchHz }: VoiceRequest): VoiceId {
  const initial = gender === "female" ? "F" : gender === "male" ? "M" : "";
  const voices = VOICE_IDS.filter((id) => id.startsWith(initial));
  return pitchHz === null ? voices[hash(`voice ${prompt}`) % voices.length] : nearestVoice(pitchHz, voices);
}

/** The gender that a pitch suggests. */
export function genderOfPitch(pitchHz: number): Gender {
  return pitchHz < GENDER_BOUNDARY_HZ ? "male" : "female";
}
