// The neural voice: English, ten voices, 24 kHz, streamed in pieces.
import { EngineError } from "../../engine-error.ts";
import { prepareSpeech } from "../../speech-text/prepare-speech.ts";
import { parseSpeech } from "../speech-options.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../voice.ts";
import { primaryLanguage } from "../voice-catalogue.ts";
import { fadeOver } from "./fade-over.ts";
import { NeuralSynthesizer, type PieceSynthesizer } from "./neural-synthesizer.ts";
import { NEURAL_VOICES } from "./neural-voices.ts";

/** Whether the neural voice speaks a language: a BCP 47 tag. */
export function speaksNeurally(language: string): boolean {
  return primaryLanguage(language) === "en";
}

export class NeuralVoice implements Voice {
  readonly #synthesizer: PieceSynthesizer;

  /** `synthesizer`: default one of its own, which starts nothing before the first sentence. `close()` closes it. */
  constructor(synthesizer: PieceSynthesizer = new NeuralSynthesizer()) {
    this.#synthesizer = synthesizer;
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { voiceId, speed, language } = parseSpeech(options);
    if (!speaksNeurally(language)) {
      throw new EngineError("invalid-input", `The neural voice does not speak "${language}".`);
    }
    const voice = NEURAL_VOICES[voiceId];
    for (const { text: written, words } of prepareSpeech(text, language)) {
      const sentence = { text: written, words };
      let overlap: Int16Array = new Int16Array(0);
      let isLast = false;
      for (let number = 0; !isLast; number++) {
        const piece = await this.#synthesizer.speak({ sentence, voice, speed, piece: number });
        fadeOver(overlap, piece.samples);
        overlap = piece.overlap;
        isLast = piece.isLast;
        const { sampleRateHz, samples } = piece;
        yield { sampleRateHz, samples, sentence: piece.sentence, endsSentence: isLast };
      }
    }
  }

  close(): Promise<void> {
    return this.#synthesizer.close();
  }
}
