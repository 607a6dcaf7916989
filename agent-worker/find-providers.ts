// Which execution providers this machine has: the processor always, a GPU if a model can be loaded on it.
import type { Logger } from "../shared/log.ts";
import type { WorkerProvider } from "../shared/runtime-api.ts";
import { loadHearingModel } from "../src/hearing/hearing-model.ts";
import { createNodeRuntime } from "../src/inference/node-runtime.ts";

/** The providers, found by trying. Never throws. */
export async function findProviders(logger: Logger): Promise<WorkerProvider[]> {
  try {
    const runtime = createNodeRuntime({ provider: "cuda" });
    await (await runtime.createSession(await loadHearingModel())).release();
    return ["cpu", "cuda"];
  } catch (error) {
    logger.debug({ reason: String(error) }, "no GPU found");
    return ["cpu"];
  }
}
