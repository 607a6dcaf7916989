// The neural voice: English, ten voices, 24 kHz, streamed in pieces.
import { EngineError } from "../../engine-error.ts";
import { prepareSpeech } from "../../speech-text/prepare-speech.ts";
import { parseSpeech } from "../speech-options.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../voice.ts";
import { primaryLanguage } from "../voice-catalogue.ts";
import { fadeOver } from "./fade-over.ts";
import { heldPieces } from "./head-start.ts";
import type { SpeakableSentence } from "./neural-messages.ts";
import { NeuralSynthesizer, type PieceSynthesizer } from "./neural-synthesizer.ts";
import { NEURAL_VOICES } from "./neural-voices.ts";
import { PartCaptions } from "./part-captions.ts";

/** Whether the neural voice speaks a language: a BCP 47 tag. */
export function speaksNeurally(language: string): boolean {
  return primaryLanguage(language) === "en";
}

/** Before anything was measured. */
const EXPECTED_PACE = 0.5;
/** Share of the latest piece in the mean. */
const LATEST_SHARE = 0.3;

export class NeuralVoice implements Voice {
  readonly #synthesizer: PieceSynthesizer;
  readonly #now: () => number;
  /** Seconds that it takes to make a second of sound, with the wait for other speakers. */
  #pace = EXPECTED_PACE;

  /** `synthesizer`: default one of its own, which starts nothing before the first sentence. `close()` closes it.
   *  `now`: a clock, ms. */
  constructor(synthesizer: PieceSynthesizer = new NeuralSynthesizer(), now: () => number = () => performance.now()) {
    this.#synthesizer = synthesizer;
    this.#now = now;
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { voiceId, speed, language } = parseSpeech(options);
    if (!speaksNeurally(language)) {
      throw new EngineError("invalid-input", `The neural voice does not speak "${language}".`);
    }
    const voice = NEURAL_VOICES[voiceId];
    // Of the first sentence: later ones are made while it is heard.
    let held: SpokenPiece[] | undefined = [];
    for (const { text: written, words } of prepareSpeech(text, language)) {
      const captions = new PartCaptions(text, written);
      for await (const piece of this.#speakSentence({ text: written, words }, captions, voice, speed)) {
        held?.push(piece);
        if (held && held.length <= heldPieces(this.#pace) && !piece.endsSentence) continue;
        if (held) yield* held;
        else yield piece;
        held = undefined;
      }
    }
  }

  async *#speakSentence(
    sentence: SpeakableSentence,
    captions: PartCaptions,
    voice: string,
    speed: number,
  ): AsyncGenerator<SpokenPiece> {
    let overlap: Int16Array = new Int16Array(0);
    for (let [part, number] = [0, 0]; ; ) {
      const startedMs = this.#now();
      const piece = await this.#synthesizer.speak({ sentence, voice, speed, part, piece: number });
      const { sampleRateHz, samples, isLast, isLastPart } = piece;
      // The first piece of a sentence takes longer, and that of the first sentence loads the network.
      if (number > 0 && samples.length > 0) this.#notePace(this.#now() - startedMs, samples.length / sampleRateHz);
      fadeOver(overlap, samples);
      overlap = piece.overlap;
      const times = piece.sentence && { ...piece.sentence, text: captions.next(piece.sentence.words, isLastPart) };
      yield { sampleRateHz, samples, sentence: times, endsSentence: isLast };
      if (isLast && isLastPart) return;
      [part, number] = isLast ? [part + 1, 0] : [part, number + 1];
    }
  }

  warmUp(): void {
    this.#synthesizer.warmUp?.();
  }

  close(): Promise<void> {
    return this.#synthesizer.close();
  }

  #notePace(ms: number, seconds: number): void {
    this.#pace += LATEST_SHARE * (ms / 1000 / seconds - this.#pace);
  }
}
