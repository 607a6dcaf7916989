// The process of the end-of-turn model. A process of its own because the model takes 256 MB and is ended when it is not
// used. Its environment is empty: nothing there can make the framework ask its cloud.
import type { InferenceRunner } from "@livekit/agents";
import { limitMemory, serveTasks } from "../../program/child-process/serve-tasks.ts";
import { FRAMEWORK, FRAMEWORK_MODULES } from "./framework-modules.ts";
import type { TurnEndTask } from "./turn-end-messages.ts";

type Runner = InferenceRunner<{ pcm: string }, { probability: number }>;

/** Several times what it takes. */
const MAX_MEMORY_BYTES = 1_000_000_000;

const loading = loadRunner();

limitMemory(MAX_MEMORY_BYTES);
serveTasks<TurnEndTask, number>(
  async ({ samples }) => {
    const pcm = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString("base64");
    return (await (await loading).run({ pcm })).probability;
  },
  { loading },
);

/** The class with which the framework's own inference process runs the model, and finds by this path. */
async function loadRunner(): Promise<Runner> {
  const folder = import.meta.resolve(FRAMEWORK);
  const { initializeLogger } = await import(new URL(FRAMEWORK_MODULES.initializeLogger, folder).href);
  initializeLogger({ pretty: false, level: "silent" });
  const { default: Runner } = await import(new URL(FRAMEWORK_MODULES.EotRunner, folder).href);
  const runner: Runner = new Runner();
  await runner.initialize();
  return runner;
}
