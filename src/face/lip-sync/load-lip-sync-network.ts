// Opens the audio-to-viseme network on one of two executors.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import { ExecutedLipSyncNetwork } from "./executor/executed-lip-sync-network.ts";
import { loadLipSyncProgram } from "./executor/lip-sync-program.ts";
import type { LipSyncNetwork } from "./lip-sync-network.ts";
import { RuntimeLipSyncNetwork } from "./runtime-lip-sync-network.ts";

export interface LipSyncNetworkOptions {
  /** `own`: the executor in `executor/`, for processors, if it knows the graph; otherwise ONNX Runtime. `runtime`: ONNX
   *  Runtime, the reference. Default `own`. */
  executor?: "own" | "runtime";
}

/** Loads the network from the bytes of its ONNX file and runs it once, so that the first hop of speech takes no longer
 *  than the others. Streams that are loaded from the same array share the weights. Rejects with Error if the graph is
 *  not a lip-sync network. */
export async function loadLipSyncNetwork(
  runtime: InferenceRuntime,
  model: Uint8Array,
  { executor = "own" }: LipSyncNetworkOptions = {},
): Promise<LipSyncNetwork> {
  const program = executor === "own" ? await loadLipSyncProgram(runtime, model) : null;
  const network = program ? new ExecutedLipSyncNetwork(program) : await RuntimeLipSyncNetwork.load(runtime, model);
  await network.run(new Float32Array(LIP_SYNC_HOP_SAMPLES));
  network.reset();
  return network;
}
