// Chooses the built-in voice of an agent.
import { nearestVoice } from "../../../src/voice/voice-by-pitch.ts";
import { VOICE_IDS, type VoiceId } from "../../../src/voice/voice-catalogue.ts";
import { type Gender, hash } from "./persona.ts";

/** Median pitch that separates most men's voices from most women's. */
const GENDER_BOUNDARY_HZ = 155;

export interface VoiceRequest {
  prompt: string;
  /** Empty when unknown. */
  gender: Gender;
  /** Median pitch of a sample; null without one. */
  pitchHz: number | null;
}

/** Chooses a voice of the gender, or any voice if the gender is unknown: the nearest in pitch to the sample, or by a
 *  hash of the prompt if there is no sample. Equal requests get the same voice. */
export function chooseVoice({ prompt, gender, pitchHz }: VoiceRequest): VoiceId {
  const initial = gender === "female" ? "F" : gender === "male" ? "M" : "";
  const voices = VOICE_IDS.filter((id) => id.startsWith(initial));
  return pitchHz === null ? voices[hash(`voice ${prompt}`) % voices.length] : nearestVoice(pitchHz, voices);
}

/** The likely gender of a voice with this pitch. */
export function genderOfPitch(pitchHz: number): Gender {
  return pitchHz < GENDER_BOUNDARY_HZ ? "male" : "female";
}
