// Checks a voice that a request names.
import { ServiceError } from "../../../shared/errors.ts";
import { isDesignedVoiceCode, parseDesignedVoice } from "../../../src/speech/voice/shaping/designed-voice.ts";
import { isVoiceId, VOICE_IDS, type VoiceId } from "../../../src/speech/voice/voice-catalogue.ts";

const MAX_SHOWN_CHARACTERS = 60;

/** The code of a designed voice. Throws VOICE_NOT_FOUND for any other text. */
export function requireVoiceCode(code: string): string {
  if (parseDesignedVoice(code)) return code;
  throw new ServiceError("VOICE_NOT_FOUND", `Voice not found: ${code.slice(0, MAX_SHOWN_CHARACTERS)}`);
}

/** A voice of the catalogue. `field`: its name in the request. Throws VALIDATION_ERROR with the list of voices for any
 *  other text. */
export function requireCatalogueVoice(voice: string, field: string): VoiceId {
  if (isVoiceId(voice)) return voice;
  throw new ServiceError(
    "VALIDATION_ERROR",
    `Unknown ${field} "${voice.slice(0, MAX_SHOWN_CHARACTERS)}". Accepted: ${VOICE_IDS.join(", ")}.`,
  );
}

/** A designed voice or one of the catalogue. Throws as the two above. */
export function requireVoice(voice: string, field: string): string {
  return isDesignedVoiceCode(voice) ? requireVoiceCode(voice) : requireCatalogueVoice(voice, field);
}
