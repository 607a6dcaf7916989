// Checks the voice, its axes and the language that a request names.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import {
  DEFAULT_LANGUAGE,
  isLanguageCode,
  LANGUAGE_CODES,
  primaryLanguage,
} from "../../src/speech/languages/languages.ts";
import { findFetchedVoice } from "../../src/speech/voice/fetched/fetched-voices.ts";
import { type AxisName, MAX_AXIS, type VoiceAxes } from "../../src/speech/voice/shaping/voice-axes.ts";
import { FASTEST_SPEED, SLOWEST_SPEED } from "../../src/speech/voice/speech-options.ts";
import { DEFAULT_VOICE_ID, type VoiceId } from "../../src/speech/voice/voice-catalogue.ts";
import { requireCatalogueVoice } from "../agents/voices/requested-voice.ts";

const MAX_SHOWN_CHARACTERS = 60;
/** Source: BCP 47, section 4.4.1. */
const MAX_TAG_CHARACTERS = 35;

export const speedSchema = z
  .number()
  .min(SLOWEST_SPEED)
  .max(FASTEST_SPEED)
  .nullish()
  .meta({ description: "Tempo, 0.7 to 2.0; 1 is the voice's own. Default 1.05" });

/** What each axis changes, and which way. */
export const AXIS_DESCRIPTIONS: Readonly<Record<AxisName, string>> = {
  gender:
    "Pitch and vocal tract together: below 0 lower and longer, as of a man; above 0 higher and shorter, as of a woman",
  pitch: "Pitch in octaves; the vocal tract stays",
  rate: "Tempo in octaves: 0.3 is 1.23 times as fast",
  brightness: "High frequencies: below 0 duller, above 0 brighter; 0.3 raises them by 6 dB",
};

const axisSchema = z.number().min(-MAX_AXIS).max(MAX_AXIS).nullish();

/** Axes of a request. Unknown ones are ignored, like all unknown fields. */
export const axesSchema = z.object({
  gender: axisSchema.meta({ description: AXIS_DESCRIPTIONS.gender }),
  pitch: axisSchema.meta({ description: AXIS_DESCRIPTIONS.pitch }),
  rate: axisSchema.meta({ description: AXIS_DESCRIPTIONS.rate }),
  brightness: axisSchema.meta({ description: AXIS_DESCRIPTIONS.brightness }),
});

/** Positions on all axes; absent ones are 0. */
export function parseAxes(axes: z.output<typeof axesSchema> | null | undefined): VoiceAxes {
  const { gender, pitch, rate, brightness } = axes ?? {};
  return { gender: gender ?? 0, pitch: pitch ?? 0, rate: rate ?? 0, brightness: brightness ?? 0 };
}

/** A voice that speaks for anyone here: of the catalogue, or one that the operator has fetched. Absent, null and empty
 *  mean the default. Throws VALIDATION_ERROR with their list for any other. */
export function parseAnyVoice(voice: string | null | undefined, voicesFolder: string): string {
  if (voice && findFetchedVoice(voicesFolder, voice)) return voice;
  return parseVoice(voice);
}

/** A voice of the catalogue; absent, null and empty mean the default. Throws VALIDATION_ERROR with their list for any
 *  other. */
export function parseVoice(voice: string | null | undefined, field = "voice"): VoiceId {
  return requireCatalogueVoice(voice || DEFAULT_VOICE_ID, field);
}

/** The tag of a language, with its region, which changes how numbers are read and who speaks Portuguese. Throws
 *  VALIDATION_ERROR with the list of languages for one that no voice speaks; absent, null and empty mean English. */
export function parseLanguage(language: string | null | undefined): string {
  const tag = (language || DEFAULT_LANGUAGE).trim();
  if (isLanguageCode(primaryLanguage(tag)) && tag.length <= MAX_TAG_CHARACTERS) return tag;
  throw new ServiceError(
    "VALIDATION_ERROR",
    `Unknown language "${tag.slice(0, MAX_SHOWN_CHARACTERS)}". Accepted: ${LANGUAGE_CODES.join(", ")}.`,
  );
}
