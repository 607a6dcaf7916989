// Opens the audio-to-viseme network on one of two executors.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import { isEightBit } from "./executor/eight-bit-weights.ts";
import { ExecutedLipSyncNetwork } from "./executor/executed-lip-sync-network.ts";
import { loadLipSyncProgram } from "./executor/lip-sync-program.ts";
import type { LipSyncNetwork } from "./lip-sync-network.ts";
import { RuntimeLipSyncNetwork } from "./runtime-lip-sync-network.ts";

export interface LipSyncNetworkOptions {
  /** `own`: the executor in `executor/`, for processors, if it knows the graph; otherwise ONNX Runtime. `runtime`: ONNX
   *  Runtime, the reference. Default `own`. */
  executor?: "own" | "runtime";
}

/** Loads the network from the bytes of its ONNX file, or of its 8-bit weights, which need the executor. Runs it once,
 *  so that the first hop of speech takes no longer than the others. Streams loaded from the same array share the
 *  weights. Rejects with Error if the graph is not a lip-sync network, or this machine cannot run the weights. */
export async function loadLipSyncNetwork(
  runtime: InferenceRuntime,
  model: Uint8Array,
  { executor = "own" }: LipSyncNetworkOptions = {},
): Promise<LipSyncNetwork> {
  const program = executor === "own" ? await loadLipSyncProgram(runtime, model) : null;
  if (!program && isEightBit(model)) {
    throw new Error("the 8-bit lip-sync weights cannot be used: damaged, or no WebAssembly SIMD here");
  }
  const network = program ? new ExecutedLipSyncNetwork(program) : await RuntimeLipSyncNetwork.load(runtime, model);
  await network.run(new Float32Array(LIP_SYNC_HOP_SAMPLES));
  network.reset();
  return network;
}
