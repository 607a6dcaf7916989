// The two graphs of the neural voice, and its style tables.
import { existsSync } from "node:fs";
import { partFolder } from "../../../../program/parts/find-part.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../../../signal/inference/inference-runtime.ts";
import { readModelFile } from "../../../signal/inference/read-model-file.ts";
import { multipliesSignedExactly } from "./signed-products.ts";
import { toUnsignedWeights } from "./unsigned-weights.ts";

const WHAT = "The neural voice";
const FRONT = "voice/front.onnx";
const BACK = "voice/back.onnx";

export const NEURAL_SAMPLE_RATE_HZ = 24_000;
/** The front's durations count frames of 25 ms. */
export const FRAME_MS = 25;
/** The back makes audio in steps of 12.5 ms. */
export const STEPS_PER_FRAME = 2;
export const STEP_SAMPLES = 300;
/** Audio that is made on both sides of a piece: the network needs it around what is heard, and pieces fade over it. */
export const OVERLAP_STEPS = 8;
/** Made with each piece, besides what is heard of it. */
export const OVERLAP_S = (2 * OVERLAP_STEPS * STEP_SAMPLES) / NEURAL_SAMPLE_RATE_HZ;
const STYLE_VALUES = 256;

/** What the front says about a sentence. */
export interface SentenceFrames {
  /** Frames of each token. */
  durations: Float32Array;
  /** Steps of the whole sentence. */
  stepCount: number;
  /** float32 [1, 512, stepCount]. */
  frames: Tensor;
  /** float32 [1, 300 · stepCount, 1]. */
  source: Tensor;
  /** float32 [1, 128]. */
  timbre: Tensor;
}

/** Whether the voice is installed. Its files are verified when they are loaded. */
export function hasNeuralFiles(): boolean {
  return [FRONT, BACK].every((file) => existsSync(new URL(`../${file}`, partFolder("model-voice"))));
}

export class NetworkGraphs {
  readonly #runtime: InferenceRuntime;
  readonly #front: InferenceSession;
  readonly #back: InferenceSession;
  readonly #styles = new Map<string, Float32Array>();

  private constructor(runtime: InferenceRuntime, front: InferenceSession, back: InferenceSession) {
    this.#runtime = runtime;
    this.#front = front;
    this.#back = back;
  }

  /** Loads both graphs: 1.5 s of CPU, 300 MB. `isSigned`: whether to multiply signed weights; default what this
   *  processor does exactly. Throws EngineError(unavailable) if a file is missing or is not the one in the manifest. */
  static async load(runtime: InferenceRuntime, isSigned?: boolean): Promise<NetworkGraphs> {
    const signed = isSigned ?? (await multipliesSignedExactly(runtime));
    const [front, back] = await Promise.all(
      [FRONT, BACK].map(async (name) => {
        const bytes = await readModelFile(name, WHAT);
        return signed ? bytes : toUnsignedWeights(bytes);
      }),
    );
    return new NetworkGraphs(runtime, await runtime.createSession(front), await runtime.createSession(back));
  }

  /** From tokens (with begin and end) to what is to be heard. `voice`: name of a style table. `speed`: 1 is the voice's
   *  own. */
  async front(tokens: readonly number[], voice: string, speed: number): Promise<SentenceFrames> {
    const { Tensor } = this.#runtime;
    const style = await this.#style(voice, tokens.length - 2);
    const out = await this.#front.run({
      tokens: new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      style: new Tensor("float32", style, [1, STYLE_VALUES]),
      speed: new Tensor("float32", Float32Array.of(speed), [1]),
    });
    return {
      durations: out.durations.data as Float32Array,
      stepCount: out.frames.dims[2],
      frames: out.frames,
      source: out.source,
      timbre: out.timbre,
    };
  }

  /** The audio of a range of steps: float32 at 24 kHz, 300 samples for a step. */
  async back(sentence: SentenceFrames, fromStep: number, toStep: number): Promise<Float32Array> {
    const { audio } = await this.#back.run({
      frames: this.#columns(sentence.frames, fromStep, toStep),
      source: this.#samples(sentence.source, fromStep * STEP_SAMPLES, toStep * STEP_SAMPLES),
      timbre: sentence.timbre,
    });
    return audio.data as Float32Array;
  }

  async release(): Promise<void> {
    await Promise.all([this.#front.release(), this.#back.release()]);
  }

  /** The row of a table for this number of tokens. */
  async #style(voice: string, tokenCount: number): Promise<Float32Array> {
    let table = this.#styles.get(voice);
    if (!table) {
      const name = `voice/voices/${voice}.f32`;
      const bytes = await readModelFile(name, WHAT);
      table = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
      this.#styles.set(voice, table);
    }
    const row = Math.min(tokenCount, table.length / STYLE_VALUES - 1);
    return table.slice(row * STYLE_VALUES, (row + 1) * STYLE_VALUES);
  }

  #samples({ data }: Tensor, from: number, to: number): Tensor {
    return new this.#runtime.Tensor("float32", (data as Float32Array).slice(from, to), [1, to - from, 1]);
  }

  #columns({ data, dims }: Tensor, from: number, to: number): Tensor {
    const [, rows, width] = dims;
    const values = data as Float32Array;
    const out = new Float32Array(rows * (to - from));
    for (let row = 0; row < rows; row++) {
      out.set(values.subarray(row * width + from, row * width + to), row * (to - from));
    }
    return new this.#runtime.Tensor("float32", out, [1, rows, to - from]);
  }
}
