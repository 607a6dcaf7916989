// Finds the built-in voice with the nearest pitch.
import { VOICE_IDS, type VoiceId } from "./voice-catalogue.ts";

/** Median pitch of each voice saying the same English sentences, as `measureVoicePitch` finds it. A test checks them.
 *  */
export const VOICE_PITCHES_HZ: Readonly<Record<VoiceId, number>> = Object.freeze({
  M1: 105,
  M2: 99,
  M3: 100,
  M4: 118,
  M5: 90,
  F1: 200,
  F2: 193,
  F3: 210,
  F4: 201,
  F5: 247,
});

/** The voice of the list whose pitch is nearest, in semitones; of two, the earlier. Throws RangeError for an empty
 *  list. */
export function nearestVoice(pitchHz: number, voices: readonly VoiceId[] = VOICE_IDS): VoiceId {
  if (voices.length === 0) throw new RangeError("no voice to choose from");
  const distance = (id: VoiceId) => Math.abs(Math.log2(VOICE_PITCHES_HZ[id] / pitchHz));
  return voices.reduce((nearest, id) => (distance(id) < distance(nearest) ? id : nearest));
}
