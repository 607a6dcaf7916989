// Designs a voice near one that was measured: in pitch, pace and brightness. It is not a clone: nothing else of the
// person is in it.
import type { VoiceCharacter } from "../measuring/voice-character.ts";
import { VOICE_IDS, type VoiceId } from "../voice-catalogue.ts";
import type { DesignedVoice } from "./designed-voice.ts";
import { VOICE_ANCHORS } from "./voice-anchors.ts";
import { BRIGHTNESS_DB, MAX_AXIS, SUGGESTED_AXIS } from "./voice-axes.ts";

/** The voice of the list with the nearest pitch, in semitones; of two, the earlier. Throws RangeError for an empty
 *  list. */
export function nearestVoice(pitchHz: number, voices: readonly VoiceId[] = VOICE_IDS): VoiceId {
  if (voices.length === 0) throw new RangeError("no voice to choose from");
  const distance = (id: VoiceId) => Math.abs(Math.log2(VOICE_ANCHORS[id].pitchHz / pitchHz));
  return voices.reduce((nearest, id) => (distance(id) < distance(nearest) ? id : nearest));
}

/** The nearest voice of the list, moved to the measured one. What exceeds the pitch axis goes to the gender axis: very
 *  high voices have short vocal tracts. Microphones and rooms change the brightness more than people do, so it is moved
 *  no further than is suggested. Throws RangeError for an empty list. */
export function designVoiceLike(character: VoiceCharacter, voices: readonly VoiceId[] = VOICE_IDS): DesignedVoice {
  const baseVoiceId = nearestVoice(character.pitchHz, voices);
  const anchor = VOICE_ANCHORS[baseVoiceId];
  const octaves = Math.log2(character.pitchHz / anchor.pitchHz);
  const pitch = within(octaves, MAX_AXIS);
  return {
    baseVoiceId,
    axes: {
      gender: within(octaves - pitch, MAX_AXIS),
      pitch,
      rate: character.pace === null ? 0 : within(Math.log2(character.pace / anchor.pace), MAX_AXIS),
      brightness:
        character.brightnessDb === null
          ? 0
          : within((character.brightnessDb - anchor.brightnessDb) / BRIGHTNESS_DB, SUGGESTED_AXIS),
    },
  };
}

function within(value: number, most: number): number {
  return Math.min(most, Math.max(-most, value));
}
