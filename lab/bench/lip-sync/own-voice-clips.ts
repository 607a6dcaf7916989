// The built-in evaluation set: synthetic voices in five languages with known phoneme times. Synthetic speech is easier
// than natural speech; `--split` gives recordings instead.
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { joinPieces } from "../../../src/speech/voice/join-pieces.ts";
import type { EvaluationClip } from "./evaluation-clip.ts";

/** Everyday sentences, written for this purpose; the share of P, B, M, F and V is that of the language. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: [
    "The weather was fine, so we walked along the river and talked about music.",
    "How many people would you like to invite, and where should they sit?",
    "I have moved your appointment to Thursday afternoon at half past five.",
    "Above the hills a small white cloud was moving slowly to the west.",
  ],
  de: [
    "Guten Morgen, wie kann ich Ihnen heute helfen?",
    "Der Zug nach München fährt um halb vier von Gleis sieben ab.",
  ],
  es: ["Buenos días, ¿en qué puedo ayudarle esta mañana?", "Mi hermana vive en un pueblo pequeño cerca del mar."],
  fr: ["Bonjour, comment puis-je vous aider aujourd'hui ?", "Nous avons préparé une belle surprise pour votre fête."],
  it: [
    "Buongiorno, come posso aiutarla questa mattina?",
    "Il treno per Firenze parte fra venti minuti dal binario uno.",
  ],
};

/** Voices that share the sentences: low and high ones in turn. */
const VOICE_IDS = ["M1", "F2", "M5", "F5"];

/** About 80 s of speech. Throws EngineError(unavailable) where no voice is installed. */
export async function speakClips(): Promise<EvaluationClip[]> {
  const voice = new EspeakVoice();
  const clips: EvaluationClip[] = [];
  try {
    for (const [language, sentences] of Object.entries(SENTENCES)) {
      for (const [index, text] of sentences.entries()) {
        for (const offset of [0, 1]) {
          const voiceId = VOICE_IDS[(2 * index + offset) % VOICE_IDS.length];
          const pieces = voice.synthesize(text, { voiceId, language, speed: 1 });
          for await (const { samples, sampleRateHz, visemes } of joinPieces(pieces)) {
            const id = `${language}-${index + 1}-${voiceId}`;
            clips.push({ id, language, audio: { samples, sampleRateHz }, visemes });
          }
        }
      }
    }
  } finally {
    await voice.close();
  }
  return clips;
}
