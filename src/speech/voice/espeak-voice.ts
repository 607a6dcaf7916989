// The built-in voice: ten voices of eSpeak NG, 31 languages, 22,050 Hz.
import { EngineError } from "../../../shared/engine-error.ts";
import { LANGUAGE_CODES, languageOf, primaryLanguage } from "../languages/languages.ts";
import { prepareSpeech } from "../text/prepare-speech.ts";
import { EspeakSynthesizer, type SentenceSynthesizer } from "./espeak-synthesizer.ts";
import { espeakVisemes } from "./espeak-visemes.ts";
import { parseSpeech } from "./speech-options.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "./voice.ts";
import { VOICES } from "./voice-catalogue.ts";
import { writtenWords } from "./written-words.ts";

/** Tempo of a plain voice at speed 1; eSpeak NG's own default is 175. */
const NEUTRAL_RATE_WPM = 160;

export class EspeakVoice implements Voice {
  readonly #synthesizer: SentenceSynthesizer;

  /** `synthesizer`: default one of its own, which starts nothing before the first sentence. `close()` closes it. */
  constructor(synthesizer: SentenceSynthesizer = new EspeakSynthesizer()) {
    this.#synthesizer = synthesizer;
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { voiceId, speed, language } = parseSpeech(options);
    const settings = VOICES[voiceId];
    const voiceName = `${synthesizerName(language)}+${settings.variant}`;
    for (const sentence of prepareSpeech(text, language, options)) {
      const { samples, sampleRateHz, phonemes, words } = await this.#synthesizer.speak({
        text: sentence.spoken,
        voiceName,
        pitch: settings.pitch,
        range: settings.range,
        rateWpm: Math.round(NEUTRAL_RATE_WPM * settings.tempo * speed),
      });
      const durationMs = (samples.length * 1000) / sampleRateHz;
      const times = {
        text: sentence.text,
        // Each phoneme lasts until the next one.
        phonemes: phonemes.map((one, index) => ({ ...one, endMs: phonemes[index + 1]?.startMs ?? durationMs })),
        words: writtenWords(text, sentence.words, words, durationMs),
        visemes: espeakVisemes(phonemes, durationMs),
      };
      yield { sampleRateHz, samples, sentence: times, endsSentence: true, goesOn: sentence.goesOn };
    }
  }

  warmUp(): void {
    this.#synthesizer.warmUp?.();
  }

  close(): Promise<void> {
    return this.#synthesizer.close();
  }
}

/** The synthesizer's own name for a language. Throws EngineError(invalid-input) for one that no voice speaks. */
function synthesizerName(tag: string): string {
  const language = languageOf(tag);
  if (language) return language.synthesizerName ?? primaryLanguage(tag);
  throw new EngineError("invalid-input", `Unknown language "${tag}". Supported: ${LANGUAGE_CODES.join(", ")}.`);
}
