// What a process loads before it gets its first session, and what its sessions share.
import { parseConfig } from "../../program/config.ts";
import { LIP_SYNC_HOP_SAMPLES } from "../../shared/units.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { loadLipSyncNetwork } from "../../src/face/lip-sync/load-lip-sync-network.ts";
import { loadRigModule } from "../../src/face/rendering/rig-executor/open-rig-executor.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { measureCpuMs } from "./measure-cpu-ms.ts";
import { SESSION_PARTS, type SessionConfig } from "./session-config.ts";

export interface PreparedProcess {
  config: SessionConfig;
  /** Runs the lip-sync network; on the CPU, because on a GPU its state would be copied there and back for every video
   *  frame. */
  runtime: InferenceRuntime;
  /** Renders, unless the job's model name pins another runtime. */
  rendering: InferenceRuntime;
  lipSyncModel: Uint8Array;
  /** CPU time of the lip-sync network on one hop, ms. */
  hopMs: number;
}

/** 25 runs are one second of speech. */
const MEASURED_HOPS = 25;

/** Throws the errors of `parseConfig` for wrong settings, and what loading throws. */
export async function prepareProcess(environment: NodeJS.ProcessEnv): Promise<PreparedProcess> {
  const config = parseConfig(environment, SESSION_PARTS);
  const runtime = createNodeRuntime();
  const rendering = config.rendering.provider === "cuda" ? createNodeRuntime({ provider: "cuda" }) : runtime;
  const lipSyncModel = await loadLipSyncModel();
  // Loads the weights, which the networks of all sessions share. Loaded now, they do not delay a launch.
  const network = await loadLipSyncNetwork(runtime, lipSyncModel);
  const hop = new Float32Array(LIP_SYNC_HOP_SAMPLES);
  const hopMs = await measureCpuMs(() => network.run(hop), MEASURED_HOPS);
  await network.close();
  // On a processor the executor renders; a GPU needs ONNX Runtime: the first session loads its native library.
  if (rendering.provider === "cuda") await (await runtime.createSession(lipSyncModel)).release();
  else await loadRigModule(runtime);
  // Loads Node's HTTP client: 35 ms, which the first report of a live session would take while its first frame is due.
  await fetch("data:,");
  return { config, runtime, rendering, lipSyncModel, hopMs };
}
