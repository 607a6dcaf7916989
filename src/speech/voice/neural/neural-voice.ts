// The neural voice: ten voices in English, two each in Spanish, French, Italian and Brazilian Portuguese; 24 kHz,
// streamed in pieces.

import { EngineError } from "../../../../shared/engine-error.ts";
import { DEFAULT_LANGUAGE, primaryLanguage } from "../../languages/languages.ts";
import { prepareSpeech } from "../../text/prepare-speech.ts";
import type { PreparedSentence } from "../../text/prepared-sentence.ts";
import { EspeakSynthesizer, type SentenceSynthesizer } from "../espeak-synthesizer.ts";
import { parseSpeech } from "../speech-options.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../voice.ts";
import { fadeOver } from "./fade-over.ts";
import { pronounceByFormants } from "./formant-pronouncer.ts";
import { HeadStart } from "./head-start.ts";
import { OVERLAP_S } from "./network-graphs.ts";
import { neuralLanguage } from "./neural-languages.ts";
import type { PieceTask } from "./neural-messages.ts";
import { NeuralSynthesizer, type PieceSynthesizer } from "./neural-synthesizer.ts";
import { PartCaptions } from "./part-captions.ts";

/** Before anything was measured. */
const EXPECTED_PACE = 0.5;
/** Share of the latest piece in the mean. */
const LATEST_SHARE = 0.3;

export interface NeuralVoiceOptions {
  /** Makes the audio. Default: one of its own. `close()` closes it. */
  pieces?: PieceSynthesizer;
  /** Finds the phonemes of languages other than English. Default: one of its own. `close()` closes it. */
  formants?: SentenceSynthesizer;
  /** A clock, ms. */
  now?(): number;
}

export class NeuralVoice implements Voice {
  readonly #synthesizer: PieceSynthesizer;
  readonly #formants: SentenceSynthesizer;
  readonly #now: () => number;
  /** Seconds that it takes to make a second of audio, what is made around pieces and the wait for other speakers
   *  included. */
  #pace = EXPECTED_PACE;

  /** Starts nothing before the first sentence. */
  constructor({ pieces, formants, now }: NeuralVoiceOptions = {}) {
    this.#synthesizer = pieces ?? new NeuralSynthesizer();
    this.#formants = formants ?? new EspeakSynthesizer();
    this.#now = now ?? (() => performance.now());
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { voiceId, speed, language } = parseSpeech(options);
    const spoken = neuralLanguage(language);
    if (!spoken) throw new EngineError("invalid-input", `The neural voice does not speak "${language}".`);
    const { textLanguage = primaryLanguage(language), phonemeLanguage, styles } = spoken;
    const start = new HeadStart(this.#now);
    for (const prepared of prepareSpeech(text, textLanguage, options)) {
      const sentence = await this.#pronounce(prepared, phonemeLanguage);
      const task = { sentence, voice: styles[voiceId], speed };
      for await (const piece of this.#speakSentence(task, new PartCaptions(text, prepared.text))) {
        yield* start.add(prepared.goesOn && piece.endsSentence ? { ...piece, goesOn: true } : piece, this.#pace);
      }
    }
  }

  async #pronounce(prepared: PreparedSentence, phonemeLanguage: string | null): Promise<PieceTask["sentence"]> {
    const { text, words } = prepared;
    if (!phonemeLanguage) return { text, words };
    return { text, words: await pronounceByFormants(this.#formants, prepared, phonemeLanguage) };
  }

  async *#speakSentence(task: Omit<PieceTask, "part" | "piece">, captions: PartCaptions): AsyncGenerator<SpokenPiece> {
    let overlap: Int16Array = new Int16Array(0);
    for (let [part, number] = [0, 0]; ; ) {
      const startedMs = this.#now();
      const piece = await this.#synthesizer.speak({ ...task, part, piece: number });
      const { sampleRateHz, samples, isLast, isLastPart } = piece;
      // The first piece of a sentence takes longer, and that of the first sentence loads the network.
      if (number > 0 && samples.length > 0) {
        this.#notePace(this.#now() - startedMs, samples.length / sampleRateHz + OVERLAP_S);
      }
      fadeOver(overlap, samples);
      overlap = piece.overlap;
      const times = piece.sentence && { ...piece.sentence, text: captions.next(piece.sentence.words, isLastPart) };
      yield { sampleRateHz, samples, sentence: times, endsSentence: isLast, ...(!isLastPart && { goesOn: true }) };
      if (isLast && isLastPart) return;
      [part, number] = isLast ? [part + 1, 0] : [part, number + 1];
    }
  }

  warmUp(language = DEFAULT_LANGUAGE): void {
    const spoken = neuralLanguage(language);
    if (spoken) this.#synthesizer.warmUp?.();
    if (spoken?.phonemeLanguage) this.#formants.warmUp?.();
  }

  async close(): Promise<void> {
    await Promise.all([this.#synthesizer.close(), this.#formants.close()]);
  }

  #notePace(ms: number, seconds: number): void {
    this.#pace += LATEST_SHARE * (ms / 1000 / seconds - this.#pace);
  }
}
