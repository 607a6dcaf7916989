// The hearing network (audio to visemes): takes audio in hops of 40 ms, returns visemes, and carries its recurrent
// state from hop to hop.
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../inference/inference-runtime.ts";

/** Samples before the hop that its first analysis window covers (25 ms window, 10 ms step). */
const CONTEXT_SAMPLES = 240;

/** Output for one hop; frames in order of time. Valid until the next `run`. */
export interface HearingOutput {
  /** Posteriors, float32 [2 × 15], each frame of 15 sums to 1; order of VISEMES. */
  visemes: Float32Array;
  /** Probability that the lips are shut, float32 [2]. */
  closures: Float32Array;
}

/** The network for one stream. Each stream needs its own instance, because the recurrent state belongs to the
 *  stream; the model file can be shared. Model: input `pcm` float32 [1, 880] in [−1, 1] at 16 kHz (240 samples of
 *  context, 640 new), every other input a state that is returned as `<name>_out`; outputs `viseme` [1, 2, 15] and
 *  `closure` [1, 2]. */
export class HearingNetwork {
  readonly #session: InferenceSession;
  readonly #runtime: InferenceRuntime;
  readonly #window = new Float32Array(CONTEXT_SAMPLES + HEARING_HOP_SAMPLES);
  readonly #pcm: Tensor;
  readonly #stateNames: string[];
  #feeds: Record<string, Tensor> = {};
  #isClosed = false;

  private constructor(runtime: InferenceRuntime, session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
    this.#pcm = new runtime.Tensor("float32", this.#window, [1, this.#window.length]);
    this.#stateNames = session.inputNames.filter((name) => name !== "pcm");
    this.reset();
  }

  /** Loads the graph and runs it once, so that the first hop of speech takes no longer than the others. Throws Error if
   *  the graph does not have the inputs and outputs named above. */
  static async load(runtime: InferenceRuntime, model: Uint8Array): Promise<HearingNetwork> {
    const session = await runtime.createSession(model);
    const required = ["viseme", "closure"];
    const missing = required.filter((name) => !session.outputNames.includes(name));
    if (!session.inputNames.includes("pcm") || missing.length > 0) {
      throw new Error("this graph is not a hearing network: it needs the input pcm and the outputs viseme and closure");
    }
    const network = new HearingNetwork(runtime, session);
    await network.run(new Float32Array(HEARING_HOP_SAMPLES));
    network.reset();
    return network;
  }

  /** Runs the network on the next 40 ms: float32 [640] in [−1, 1], 16 kHz mono. Calls must not overlap. Throws
   *  RangeError on any other length. */
  async run(hop: Float32Array): Promise<HearingOutput> {
    if (hop.length !== HEARING_HOP_SAMPLES) {
      throw new RangeError(`a hop has ${HEARING_HOP_SAMPLES} samples, not ${hop.length}`);
    }
    this.#window.copyWithin(0, HEARING_HOP_SAMPLES);
    this.#window.set(hop, CONTEXT_SAMPLES);
    const results = await this.#session.run(this.#feeds);
    for (const name of this.#stateNames) this.#feeds[name] = results[`${name}_out`] as Tensor;
    return {
      visemes: results.viseme.data as Float32Array,
      closures: results.closure.data as Float32Array,
    };
  }

  /** Resets the state: the next hop begins a new stream. */
  reset(): void {
    this.#window.fill(0);
    this.#feeds = { pcm: this.#pcm };
    for (const [index, name] of this.#session.inputNames.entries()) {
      if (name === "pcm") continue;
      const metadata = this.#session.inputMetadata[index];
      const shape = metadata.isTensor ? metadata.shape.map(Number) : [];
      const size = shape.reduce((product, extent) => product * extent, 1);
      this.#feeds[name] = new this.#runtime.Tensor("float32", new Float32Array(size), shape);
    }
  }

  /** Releases the graph. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.release();
  }
}
