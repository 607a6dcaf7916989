// Remembers the sentences that are being spoken, so that the front runs once for each.
import type { NetworkGraphs } from "./network-graphs.ts";
import type { PieceTask, SpeakableSentence } from "./neural-messages.ts";
import { NeuralSentence } from "./neural-sentence.ts";
import type { PhonemeSentence } from "./phoneme-sentence.ts";

/** A sentence takes up to 10 MB, and speakers take turns. */
const KEPT_SENTENCES = 8;

/** Finds the phonemes of an English sentence in the accent of a voice. */
export type PronounceSentence = (sentence: SpeakableSentence, voice: string) => Promise<PhonemeSentence>;

export class SentenceCache {
  readonly #graphs: NetworkGraphs;
  readonly #pronounce: PronounceSentence;
  /** Least recently used first. */
  readonly #sentences = new Map<string, NeuralSentence>();

  constructor(graphs: NetworkGraphs, pronounce: PronounceSentence) {
    this.#graphs = graphs;
    this.#pronounce = pronounce;
  }

  /** A part of a sentence, ready for its pieces. Throws what `pronounce` and the graphs throw. */
  async open(task: Omit<PieceTask, "piece">): Promise<NeuralSentence> {
    const { sentence, voice, speed, part } = task;
    const key = JSON.stringify([voice, speed, part, sentence]);
    const opened = this.#sentences.get(key) ?? (await this.#open(task));
    this.#sentences.delete(key);
    this.#sentences.set(key, opened);
    for (const oldest of this.#sentences.keys()) {
      if (this.#sentences.size <= KEPT_SENTENCES) break;
      this.#sentences.delete(oldest);
    }
    return opened;
  }

  async #open(task: Omit<PieceTask, "piece">): Promise<NeuralSentence> {
    const { sentence, voice } = task;
    const pronounced = isPronounced(sentence) ? sentence : await this.#pronounce(sentence, voice);
    return NeuralSentence.open(this.#graphs, pronounced, task);
  }
}

function isPronounced(sentence: SpeakableSentence | PhonemeSentence): sentence is PhonemeSentence {
  return sentence.words.every((word) => "phonemes" in word);
}
