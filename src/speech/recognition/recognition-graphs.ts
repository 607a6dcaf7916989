// The two graphs of the recogniser, and its vocabulary.
import type { InferenceRuntime, InferenceSession, Tensor } from "../../signal/inference/inference-runtime.ts";
import { readModelFile } from "../../signal/inference/read-model-file.ts";
import { MELS } from "./log-mel.ts";
import { Vocabulary } from "./vocabulary.ts";

const ENCODER = "recognition/encoder.onnx";
const DECODER = "recognition/decoder.onnx";
const VOCABULARY = "recognition/vocabulary.json.br";
/** Keys and values of six layers: [12, 8, tokens, 64]. */
const PAST_DIMS = [12, 8, 0, 64];

/** What the encoder says about an utterance: keys and values for the decoder, by the name of its input. */
export type EncodedSpeech = Readonly<Record<string, Tensor>>;

export interface DecoderStep {
  /** Natural logarithm of the probability of every token as the next one: float32 [51865]. */
  odds: Float32Array;
  /** To be passed with the next tokens. */
  past: Tensor;
}

export class RecognitionGraphs {
  readonly vocabulary: Vocabulary;
  readonly #runtime: InferenceRuntime;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;

  private constructor(
    runtime: InferenceRuntime,
    encoder: InferenceSession,
    decoder: InferenceSession,
    vocabulary: Vocabulary,
  ) {
    this.#runtime = runtime;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.vocabulary = vocabulary;
  }

  /** Loads graphs and vocabulary. Throws EngineError(unavailable) if a file is missing or is not the manifest's. */
  static async load(runtime: InferenceRuntime): Promise<RecognitionGraphs> {
    const read = (name: string) => readModelFile(name, "The recogniser");
    const vocabulary = await Vocabulary.unpack(await read(VOCABULARY));
    // One after the other: the bytes of a file are not needed once its session exists.
    const encoder = await runtime.createSession(await read(ENCODER));
    const decoder = await runtime.createSession(await read(DECODER));
    return new RecognitionGraphs(runtime, encoder, decoder, vocabulary);
  }

  /** `mel`: float32 [80, frames] from `logMel`; an even number of frames, at most 3,000. */
  encode(mel: Float32Array): Promise<EncodedSpeech> {
    return this.#encoder.run({ mel: new this.#runtime.Tensor("float32", mel, [1, MELS, mel.length / MELS]) });
  }

  /** Reads tokens after those of `past` (absent: none). At most 448 in all. */
  async step(encoded: EncodedSpeech, tokens: readonly number[], past?: Tensor): Promise<DecoderStep> {
    const { Tensor } = this.#runtime;
    const { odds, present } = await this.#decoder.run({
      ...encoded,
      tokens: new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      past: past ?? new Tensor("float32", new Float32Array(0), PAST_DIMS),
    });
    return { odds: odds.data as Float32Array, past: present };
  }

  async release(): Promise<void> {
    await Promise.all([this.#encoder.release(), this.#decoder.release()]);
  }
}
