// Speech recognition without a key: from audio to text, on this machine.

import { EngineError } from "../../../shared/engine-error.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import { type GreedyText, writeGreedily } from "./greedy-text.ts";
import { logMel } from "./log-mel.ts";
import { RecognitionGraphs } from "./recognition-graphs.ts";
import { cutAtPauses, longerWindow, windowSeconds } from "./windows.ts";

export interface RecognitionOptions {
  /** Expected language, a BCP 47 tag. Another one is taken if it is plainly spoken. Default: the likeliest. */
  language?: string;
  signal?: AbortSignal;
}

export interface Recognition {
  /** What was said; empty if there was no speech. */
  text: string;
  /** ISO 639-1 code of the language. */
  language: string;
  /** Probability that there was no speech, 0 to 1; of long audio the least. */
  noSpeech: number;
  /** Mean natural logarithm of the probabilities of the tokens; of long audio the least. */
  meanLogProbability: number;
}

/** Longer audio is refused. */
export const MAX_RECOGNITION_S = 600;
/** Frames of the spectrum in a second. */
const FRAMES_PER_S = 100;
/** No tenth of a second is louder than −60 dB: there is no speech. */
const SILENT_RMS = 0.001;
const GATE_SAMPLES = SPEECH_SAMPLE_RATE_HZ / 10;
/** Shorter audio holds no word. */
const LEAST_SAMPLES = SPEECH_SAMPLE_RATE_HZ / 20;
/** A second of fast speech has up to 8 tokens in English and 14 in languages that the vocabulary cuts smaller. */
const TOKENS_PER_S = 16;
const MOST_TOKENS = 224;
/** Below, a longer window is tried: a cut one recognises poor speech worse than the whole half minute. Clear speech
 *  reaches −0.2. */
const DOUBTFUL = -0.6;
/** There is no speech above this probability (Whisper's own limit), unless it is understood well: words that were cut
 *  from a sentence, and sentences behind some silence, reach 0.6 to 0.9 with −0.1 to −0.5. */
const NO_SPEECH = 0.6;
/** What is written of noise, a breath or a knock that might be speech is this unlikely (−1.6 to −3.4; badly understood
 *  speech −0.9 to −1.3). */
const MAYBE_NO_SPEECH = 0.3;
const INVENTED = -1.5;
const NOTHING: Recognition = { text: "", language: "", noSpeech: 1, meanLogProbability: 0 };

/** Recognises one utterance at a time; it takes a thread while it does. */
export class Recogniser {
  readonly #graphs: RecognitionGraphs;

  private constructor(graphs: RecognitionGraphs) {
    this.#graphs = graphs;
  }

  /** Throws EngineError(unavailable) if the network is missing or damaged. */
  static async load(runtime: InferenceRuntime): Promise<Recogniser> {
    return new Recogniser(await RecognitionGraphs.load(runtime));
  }

  /** `samples`: mono at 16 kHz. Throws EngineError(too-large) above ten minutes; rejects with the signal's reason if it
   *  is aborted. */
  async recognise(samples: Int16Array, { language, signal }: RecognitionOptions = {}): Promise<Recognition> {
    signal?.throwIfAborted();
    if (samples.length > MAX_RECOGNITION_S * SPEECH_SAMPLE_RATE_HZ) {
      throw new EngineError("too-large", `The audio is longer than ${MAX_RECOGNITION_S / 60} minutes.`);
    }
    const expected = language?.split("-")[0].toLowerCase();
    const parts: Recognition[] = [];
    for (const part of cutAtPauses(samples)) parts.push(await this.#recognisePart(part, expected, signal));
    const spoken = parts.filter(({ text }) => text !== "");
    if (spoken.length === 0) return { ...parts[0], language: parts[0].language || (expected ?? "") };
    return {
      text: spoken.map(({ text }) => text).join(" "),
      language: spoken[0].language,
      noSpeech: Math.min(...spoken.map(({ noSpeech }) => noSpeech)),
      meanLogProbability: Math.min(...spoken.map(({ meanLogProbability }) => meanLogProbability)),
    };
  }

  async release(): Promise<void> {
    await this.#graphs.release();
  }

  async #recognisePart(part: Int16Array, language: string | undefined, signal?: AbortSignal): Promise<Recognition> {
    const samples = Float32Array.from(part, (sample) => sample / 32768);
    if (samples.length < LEAST_SAMPLES || isSilent(samples)) return NOTHING;
    const seconds = windowSeconds(samples.length);
    let best = await this.#write(samples, seconds, language, signal);
    const longer = longerWindow(seconds);
    if (longer && best.noSpeech <= NO_SPEECH && isDoubtful(best)) {
      const second = await this.#write(samples, longer, language, signal);
      if (best.isLooped || second.meanLogProbability > best.meanLogProbability) best = second;
    }
    const { noSpeech, meanLogProbability } = best;
    const isInvented = noSpeech > MAYBE_NO_SPEECH && meanLogProbability < INVENTED;
    const isLikely = noSpeech <= NO_SPEECH || meanLogProbability > DOUBTFUL;
    const isSpeech = isLikely && !isInvented && !best.isLooped;
    return { text: isSpeech ? best.text : "", language: best.language, noSpeech, meanLogProbability };
  }

  async #write(
    samples: Float32Array,
    seconds: number,
    language: string | undefined,
    signal?: AbortSignal,
  ): Promise<GreedyText> {
    const encoded = await this.#graphs.encode(logMel(samples, seconds * FRAMES_PER_S));
    signal?.throwIfAborted();
    const spoken = samples.length / SPEECH_SAMPLE_RATE_HZ;
    const maxTokens = Math.min(MOST_TOKENS, Math.ceil((spoken + 1) * TOKENS_PER_S));
    return writeGreedily(this.#graphs, encoded, { language, maxTokens, signal });
  }
}

function isDoubtful({ isLooped, meanLogProbability }: GreedyText): boolean {
  return isLooped || meanLogProbability < DOUBTFUL;
}

function isSilent(samples: Float32Array): boolean {
  for (let from = 0; from < samples.length; from += GATE_SAMPLES) {
    const part = samples.subarray(from, from + GATE_SAMPLES);
    const sum = part.reduce((total, sample) => total + sample * sample, 0);
    if (Math.sqrt(sum / part.length) > SILENT_RMS) return false;
  }
  return true;
}
