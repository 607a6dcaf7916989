// Finds the execution providers of this machine: always the CPU, and a GPU if a model can be loaded on it.
import type { Logger } from "../../program/log.ts";
import type { WorkerProvider } from "../../shared/runtime-api.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";

/** Tries to load the lip-sync model on the GPU. Never throws. */
export async function findProviders(logger: Logger): Promise<WorkerProvider[]> {
  try {
    const runtime = createNodeRuntime({ provider: "cuda" });
    await (await runtime.createSession(await loadLipSyncModel())).release();
    return ["cpu", "cuda"];
  } catch (error) {
    logger.debug({ reason: String(error) }, "no GPU found");
    return ["cpu"];
  }
}
