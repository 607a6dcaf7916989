// The machine's speed in one number: CPU time of a bare GridSample.
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { gridSampleGraph } from "./grid-sample-graph.ts";
import { percentile } from "./percentile.ts";
import { round } from "./round.ts";

const WARM_UP_RUNS = 10;
const ROUNDS = 15;
const RUNS_PER_ROUND = 10;

export interface Yardstick {
  /** Median, CPU ms. */
  cpu_ms: number;
  /** Tenth percentile: the least disturbed by other work. */
  cpu_ms_least_disturbed: number;
}

/** CPU time of one GridSample of `sizePx` squared by ONNX Runtime on one thread, ms. */
export async function measureYardstick(sizePx: number): Promise<Yardstick> {
  const runtime = createNodeRuntime();
  const session = await runtime.createSession(gridSampleGraph(sizePx));
  const grid = new runtime.Tensor("float32", new Float32Array(2 * sizePx * sizePx), [1, sizePx, sizePx, 2]);
  const cpuMs: number[] = [];
  try {
    for (let run = 0; run < WARM_UP_RUNS; run++) await session.run({ grid });
    for (let index = 0; index < ROUNDS; index++) {
      const before = process.cpuUsage();
      for (let run = 0; run < RUNS_PER_ROUND; run++) await session.run({ grid });
      const { user, system } = process.cpuUsage(before);
      cpuMs.push((user + system) / 1000 / RUNS_PER_ROUND);
    }
  } finally {
    await session.release();
  }
  return { cpu_ms: round(percentile(cpuMs, 0.5)), cpu_ms_least_disturbed: round(percentile(cpuMs, 0.1)) };
}
