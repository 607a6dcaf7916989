// The lip-sync network on ONNX Runtime: the reference, and the fallback for graphs that our executor does not know.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../../signal/inference/inference-runtime.ts";
import { assertHop } from "./assert-hop.ts";
import type { LipSyncNetwork, LipSyncOutput } from "./lip-sync-network.ts";

/** Samples before the hop that its first analysis window covers (25 ms window, 10 ms step). */
const CONTEXT_SAMPLES = 240;

/** Model: input `pcm` float32 [1, 880] in [−1, 1] at 16 kHz (240 samples of context, 640 new), every other input a
 *  state that is returned as `<name>_out`; outputs `viseme` [1, 2, 15] and `closure` [1, 2]. */
export class RuntimeLipSyncNetwork implements LipSyncNetwork {
  readonly #session: InferenceSession;
  readonly #runtime: InferenceRuntime;
  readonly #window = new Float32Array(CONTEXT_SAMPLES + LIP_SYNC_HOP_SAMPLES);
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

  /** Loads the graph. Rejects with Error if it does not have the inputs and outputs named above. */
  static async load(runtime: InferenceRuntime, model: Uint8Array): Promise<RuntimeLipSyncNetwork> {
    const session = await runtime.createSession(model);
    const required = ["viseme", "closure"];
    const missing = required.filter((name) => !session.outputNames.includes(name));
    if (!session.inputNames.includes("pcm") || missing.length > 0) {
      throw new Error(
        "this graph is not a lip-sync network: it needs the input pcm and the outputs viseme and closure",
      );
    }
    return new RuntimeLipSyncNetwork(runtime, session);
  }

  async run(hop: Float32Array): Promise<LipSyncOutput> {
    assertHop(hop);
    this.#window.copyWithin(0, LIP_SYNC_HOP_SAMPLES);
    this.#window.set(hop, CONTEXT_SAMPLES);
    const results = await this.#session.run(this.#feeds);
    for (const name of this.#stateNames) this.#feeds[name] = results[`${name}_out`] as Tensor;
    return {
      visemes: results.viseme.data as Float32Array,
      closures: results.closure.data as Float32Array,
    };
  }

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

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.release();
  }
}
