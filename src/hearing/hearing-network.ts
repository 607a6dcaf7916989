// The audio-to-viseme network of one stream: takes audio in hops of 40 ms, returns visemes, and remembers what it has
// heard.
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";
import type { InferenceRuntime } from "../inference/inference-runtime.ts";
import { ExecutedHearingNetwork } from "./executor/executed-hearing-network.ts";
import { loadHearingProgram } from "./executor/hearing-program.ts";
import { RuntimeHearingNetwork } from "./runtime-hearing-network.ts";

/** Output for one hop; frames in order of time. Valid until the next `run`. */
export interface HearingOutput {
  /** Posteriors, float32 [2 × 15], each frame of 15 sums to 1; order of VISEMES. */
  visemes: Float32Array;
  /** Probability that the lips are shut, float32 [2]. */
  closures: Float32Array;
}

/** The network for one stream. Each stream needs its own, because the state belongs to the stream; streams share the
 *  weights. */
export interface HearingNetwork {
  /** Runs the network on the next 40 ms: float32 [640] in [−1, 1], 16 kHz mono. Calls must not overlap. Throws, or
   *  rejects with, RangeError on any other length. */
  run(hop: Float32Array): HearingOutput | Promise<HearingOutput>;
  /** Resets the state: the next hop begins a new stream. */
  reset(): void;
  /** Releases the stream. Idempotent. */
  close(): Promise<void>;
}

export interface HearingNetworkOptions {
  /** `own`: the executor in `executor/`, for processors, if it knows the graph; otherwise ONNX Runtime. `runtime`: ONNX
   *  Runtime, the reference. Default `own`. */
  executor?: "own" | "runtime";
}

/** Loads the network from the bytes of its ONNX file and runs it once, so that the first hop of speech takes no longer
 *  than the others. Streams that are loaded from the same array share the weights. Rejects with Error if the graph is
 *  not a hearing network. */
export async function loadHearingNetwork(
  runtime: InferenceRuntime,
  model: Uint8Array,
  { executor = "own" }: HearingNetworkOptions = {},
): Promise<HearingNetwork> {
  const program = executor === "own" ? await loadHearingProgram(runtime, model) : null;
  const network = program ? new ExecutedHearingNetwork(program) : await RuntimeHearingNetwork.load(runtime, model);
  await network.run(new Float32Array(HEARING_HOP_SAMPLES));
  network.reset();
  return network;
}
