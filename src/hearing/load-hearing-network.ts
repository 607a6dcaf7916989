// Opens the audio-to-viseme network on one of two executors.
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";
import type { InferenceRuntime } from "../inference/inference-runtime.ts";
import { ExecutedHearingNetwork } from "./executor/executed-hearing-network.ts";
import { loadHearingProgram } from "./executor/hearing-program.ts";
import type { HearingNetwork } from "./hearing-network.ts";
import { RuntimeHearingNetwork } from "./runtime-hearing-network.ts";

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
