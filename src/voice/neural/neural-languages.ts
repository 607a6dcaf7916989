// The languages of the neural voice, and its style tables in each.
import { primaryLanguage, VOICE_IDS, type VoiceId } from "../voice-catalogue.ts";

export interface NeuralLanguage {
  /** Tag under which text is prepared. */
  textLanguage: string;
  /** The formant synthesizer's name of the language, which finds the phonemes; null: our own pronouncer. */
  phonemeLanguage: string | null;
  /** Style table of each voice. */
  voices: Readonly<Record<VoiceId, string>>;
}

/** English: by measured pitch and by the grade of the network's author, models/voice/README.md. */
const ENGLISH: NeuralLanguage = {
  textLanguage: "en",
  phonemeLanguage: null,
  voices: {
    M1: "am_michael",
    M2: "am_puck",
    M3: "am_fenrir",
    M4: "bm_george",
    M5: "bm_fable",
    F1: "af_heart",
    F2: "af_bella",
    F3: "bf_emma",
    F4: "af_kore",
    F5: "af_aoede",
  },
};

/** Other languages have one woman and one man each. */
const LANGUAGES: ReadonlyMap<string, NeuralLanguage> = new Map([
  ["en", ENGLISH],
  ["es", { textLanguage: "es", phonemeLanguage: "es", voices: twoVoices("ef_dora", "em_alex") }],
  // The network knows one French voice, a woman's. Of the men, the Brazilian one is understood best in French.
  ["fr", { textLanguage: "fr", phonemeLanguage: "fr", voices: twoVoices("ff_siwis", "pm_alex") }],
  ["it", { textLanguage: "it", phonemeLanguage: "it", voices: twoVoices("if_sara", "im_nicola") }],
  ["pt", { textLanguage: "pt-BR", phonemeLanguage: "pt-br", voices: twoVoices("pf_dora", "pm_alex") }],
]);
/** ISO 639-1 codes of the languages. */
export const NEURAL_LANGUAGES: readonly string[] = Object.freeze([...LANGUAGES.keys()]);
/** The Portuguese voices are Brazilian. */
const OTHER_REGIONS = /^pt[-_]pt\b/i;

/** How the neural voice speaks a language; undefined if it does not. `tag`: BCP 47. */
export function neuralLanguage(tag: string): NeuralLanguage | undefined {
  return OTHER_REGIONS.test(tag.trim()) ? undefined : LANGUAGES.get(primaryLanguage(tag));
}

/** Whether the neural voice speaks a language: a BCP 47 tag. */
export function speaksNeurally(tag: string): boolean {
  return neuralLanguage(tag) !== undefined;
}

function twoVoices(female: string, male: string): NeuralLanguage["voices"] {
  const voices = VOICE_IDS.map((id) => [id, id.startsWith("F") ? female : male] as const);
  return Object.fromEntries(voices) as Record<VoiceId, string>;
}
