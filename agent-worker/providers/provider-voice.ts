// Voice of a session of an account with a voice server of its own. What that server does not speak, the service's voice
// does.
import { prepareSpeech } from "../../src/speech/text/prepare-speech.ts";
import { piecesAtRate } from "../../src/speech/voice/pieces-at-rate.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../../src/speech/voice/voice.ts";
import { ProviderHealth, type ProviderHealthOptions } from "./provider-health.ts";

export interface ProviderVoiceOptions extends ProviderHealthOptions {
  provider: Voice;
  /** The provider's own name of the voice that speaks. */
  voiceId: string;
  /** Of the provider's audio. */
  sampleRateHz: number;
  /** The service's. */
  own: Voice;
}

export class ProviderVoice implements Voice {
  readonly #options: ProviderVoiceOptions;
  readonly #health: ProviderHealth;
  #isClosed = false;

  constructor(options: ProviderVoiceOptions) {
    this.#options = options;
    this.#health = new ProviderHealth(options);
  }

  /** Throws as the service's own voice. */
  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { provider, own, voiceId, sampleRateHz } = this.#options;
    let from = 0;
    if (this.#health.isUsable) {
      let sentences = 0;
      let isInSentence = false;
      try {
        for await (const piece of provider.synthesize(text, { ...options, voiceId })) {
          yield piece;
          isInSentence = !piece.endsSentence;
          if (piece.endsSentence) sentences += 1;
        }
        return;
      } catch (error) {
        if (this.#isClosed) throw error;
        this.#health.failed(error);
        // A sentence that broke off is not begun again.
        const next = [...prepareSpeech(text, options.language)][sentences + (isInSentence ? 1 : 0)];
        if (!next) return;
        if (sentences > 0 || isInSentence) from = next.fromCharacter;
      }
    }
    const rest = own.synthesize(text.slice(from), options);
    // An utterance has one sample rate, whichever voice speaks its parts.
    for await (const piece of piecesAtRate(rest, sampleRateHz)) yield from === 0 ? piece : moved(piece, from);
  }

  /** Closes both. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#options.provider.close(), this.#options.own.close()]);
  }
}

/** A piece of the text's rest, with its words' places in the whole text. */
function moved(piece: SpokenPiece, from: number): SpokenPiece {
  if (!piece.sentence) return piece;
  const words = piece.sentence.words.map((word) => ({
    ...word,
    fromCharacter: word.fromCharacter + from,
    toCharacter: word.toCharacter + from,
  }));
  return { ...piece, sentence: { ...piece.sentence, words } };
}
