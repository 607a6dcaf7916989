// The process of fetched voices: speaks one sentence at a time. A process of its own because a network blocks its
// thread and takes 270 MB, and because its files come from elsewhere.
import { limitMemory, serveTasks } from "../../../../program/child-process/serve-tasks.ts";
import { createNodeRuntime } from "../../../signal/inference/node-runtime.ts";
import type { PieceAudio } from "../neural/neural-messages.ts";
import type { FetchedTask } from "./fetched-messages.ts";
import { PiperNetwork } from "./piper-network.ts";

const MAX_MEMORY_BYTES = 1_500_000_000;
const KEPT_NETWORKS = 2;

const runtime = createNodeRuntime();
/** By folder, least recently used first. */
const networks = new Map<string, PiperNetwork>();

async function open(folder: string): Promise<PiperNetwork> {
  const network = networks.get(folder) ?? (await PiperNetwork.load(runtime, folder));
  networks.delete(folder);
  networks.set(folder, network);
  for (const [oldest, unused] of networks) {
    if (networks.size <= KEPT_NETWORKS) break;
    networks.delete(oldest);
    await unused.release();
  }
  return network;
}

limitMemory(MAX_MEMORY_BYTES);
serveTasks<FetchedTask, PieceAudio>(async (task) => (await open(task.folder)).speak(task));
