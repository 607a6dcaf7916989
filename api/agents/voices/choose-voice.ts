// Chooses or designs the voice of an agent.
import type { VoiceCharacter } from "../../../src/speech/voice/measuring/voice-character.ts";
import { designVoiceLike } from "../../../src/speech/voice/shaping/design-voice.ts";
import { designedVoiceCode } from "../../../src/speech/voice/shaping/designed-voice.ts";
import { VOICE_IDS } from "../../../src/speech/voice/voice-catalogue.ts";
import { type Gender, hash } from "../creation/persona.ts";

/** Median pitch that separates most men's voices from most women's. */
const GENDER_BOUNDARY_HZ = 155;

export interface VoiceRequest {
  prompt: string;
  /** Empty when unknown. */
  gender: Gender;
  /** The voice of a sample; null without one. */
  character: VoiceCharacter | null;
}

/** The id of a voice of the gender, or of any if the gender is unknown: designed near the sample, or by a hash of the
 *  prompt if there is no sample. Equal requests get the same voice. */
export function chooseVoice({ prompt, gender, character }: VoiceRequest): string {
  const initial = gender === "female" ? "F" : gender === "male" ? "M" : "";
  const voices = VOICE_IDS.filter((id) => id.startsWith(initial));
  if (character) return designedVoiceCode(designVoiceLike(character, voices));
  return voices[hash(`voice ${prompt}`) % voices.length];
}

/** The likely gender of a voice with this pitch. */
export function genderOfPitch(pitchHz: number): Gender {
  return pitchHz < GENDER_BOUNDARY_HZ ? "male" : "female";
}
