// Checks the voice and language that a request names.
import { ServiceError } from "../../shared/errors.ts";
import {
  DEFAULT_VOICE_ID,
  isVoiceId,
  LANGUAGES,
  primaryLanguage,
  VOICE_IDS,
  type VoiceId,
} from "../../src/voice/voice-catalogue.ts";

const MAX_SHOWN_CHARACTERS = 60;

/** Throws VALIDATION_ERROR with the list of voices for any other; absent, null and empty mean the default. */
export function parseVoice(voice: string | null | undefined, field = "voice"): VoiceId {
  const id = voice || DEFAULT_VOICE_ID;
  if (isVoiceId(id)) return id;
  throw new ServiceError(
    "VALIDATION_ERROR",
    `Unknown ${field} "${id.slice(0, MAX_SHOWN_CHARACTERS)}". Accepted: ${VOICE_IDS.join(", ")}.`,
  );
}

/** The language of a BCP 47 tag: a region is ignored. Throws VALIDATION_ERROR with the list of languages for one that
 *  no voice speaks; absent, null and empty mean English. */
export function parseLanguage(language: string | null | undefined): string {
  const code = primaryLanguage(language || "en");
  if (LANGUAGES.includes(code)) return code;
  throw new ServiceError(
    "VALIDATION_ERROR",
    `Unknown language "${code.slice(0, MAX_SHOWN_CHARACTERS)}". Accepted: ${LANGUAGES.join(", ")}.`,
  );
}
