// Voices that the operator has fetched. They take a fifth of the neural voice's CPU time.

import { EngineError } from "../../../../shared/engine-error.ts";
import { primaryLanguage } from "../../languages/languages.ts";
import { prepareSpeech } from "../../text/prepare-speech.ts";
import { EspeakSynthesizer, type SentenceSynthesizer } from "../espeak-synthesizer.ts";
import { pronounceByFormants } from "../neural/formant-pronouncer.ts";
import { parseSpeed } from "../speech-options.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../voice.ts";
import { type FetchedSentenceSynthesizer, FetchedSynthesizer } from "./fetched-synthesizer.ts";
import { findFetchedVoice, listFetchedVoices } from "./fetched-voices.ts";

export interface FetchedVoiceOptions {
  /** Where the voices are; see `voicesFolder`. It is read for every text, so that a new voice speaks at once. */
  folder: string;
  /** Default: a process of its own. `close()` closes it. */
  sentences?: FetchedSentenceSynthesizer;
  /** Finds phonemes. Default: one of its own. `close()` closes it. */
  formants?: SentenceSynthesizer;
}

export class FetchedVoice implements Voice {
  readonly #folder: string;
  readonly #sentences: FetchedSentenceSynthesizer;
  readonly #formants: SentenceSynthesizer;

  /** Starts nothing before the first sentence. */
  constructor({ folder, sentences, formants }: FetchedVoiceOptions) {
    this.#folder = folder;
    this.#sentences = sentences ?? new FetchedSynthesizer();
    this.#formants = formants ?? new EspeakSynthesizer();
  }

  /** Whether there is a voice of this name. */
  has(voiceId: string): boolean {
    return findFetchedVoice(this.#folder, voiceId) !== undefined;
  }

  /** The first voice that speaks a language (a BCP 47 tag). */
  voiceFor(language: string): string | undefined {
    const primary = primaryLanguage(language);
    return listFetchedVoices(this.#folder).find((voice) => voice.language === primary)?.id;
  }

  /** `language` is that of the voice, whatever the options say. */
  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { voiceId = "" } = options;
    const speed = parseSpeed(options.speed);
    const found = findFetchedVoice(this.#folder, voiceId);
    if (!found) throw new EngineError("unknown-voice", `Voice not found: ${voiceId}. It was not fetched.`);
    const { folder, language, config, speaker } = found;
    for (const prepared of prepareSpeech(text, language, options)) {
      const words = await pronounceByFormants(this.#formants, prepared, config.espeak.voice, String);
      const sentence = { text: prepared.text, words };
      const piece = await this.#sentences.speak({ folder, speaker, sentence, speed });
      if (piece.samples.length === 0) continue;
      const { sampleRateHz, samples, sentence: times } = piece;
      yield { sampleRateHz, samples, sentence: times, endsSentence: true, goesOn: prepared.goesOn };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#sentences.close(), this.#formants.close()]);
  }
}
