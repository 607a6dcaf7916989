// The built-in voice: ten voices of eSpeak NG, 31 languages, 22,050 Hz.
import { EngineError } from "../engine-error.ts";
import { prepareSpeech } from "../speech-text/prepare-speech.ts";
import { EspeakSynthesizer, type SentenceSynthesizer } from "./espeak-synthesizer.ts";
import { espeakVisemes } from "./espeak-visemes.ts";
import type { SpeechOptions, SpokenSentence, Voice } from "./voice.ts";
import { DEFAULT_LANGUAGE, DEFAULT_VOICE_ID, isVoiceId, synthesizerVoiceName, VOICES } from "./voice-catalogue.ts";
import { writtenWords } from "./written-words.ts";

/** Tempo of a plain voice at speed 1; eSpeak NG's own default is 175. */
const NEUTRAL_RATE_WPM = 160;
/** The contract's default for `speed`. */
const DEFAULT_SPEED = 1.05;

export class EspeakVoice implements Voice {
  readonly #synthesizer: SentenceSynthesizer;

  /** `synthesizer`: default one of its own, which starts nothing before the first sentence. `close()` closes it. */
  constructor(synthesizer: SentenceSynthesizer = new EspeakSynthesizer()) {
    this.#synthesizer = synthesizer;
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenSentence> {
    const voiceId = options.voiceId ?? DEFAULT_VOICE_ID;
    if (!isVoiceId(voiceId)) {
      throw new EngineError(
        "unknown-voice",
        `Voice not found: ${voiceId}. Available: ${Object.keys(VOICES).join(", ")}.`,
      );
    }
    const speed = options.speed ?? DEFAULT_SPEED;
    if (!(speed >= 0.7 && speed <= 2)) throw new EngineError("invalid-input", "speed must be between 0.7 and 2.0");
    const language = options.language ?? DEFAULT_LANGUAGE;
    const settings = VOICES[voiceId];
    const voiceName = synthesizerVoiceName(language, settings);
    for (const sentence of prepareSpeech(text, language)) {
      const { samples, sampleRateHz, phonemes, words } = await this.#synthesizer.speak({
        text: sentence.spoken,
        voiceName,
        pitch: settings.pitch,
        range: settings.range,
        rateWpm: Math.round(NEUTRAL_RATE_WPM * settings.tempo * speed),
      });
      const visemes = espeakVisemes(phonemes, (samples.length * 1000) / sampleRateHz);
      const written = writtenWords(text, sentence.words, words);
      yield { text: sentence.text, sampleRateHz, samples, phonemes, words: written, visemes };
    }
  }

  close(): Promise<void> {
    return this.#synthesizer.close();
  }
}
