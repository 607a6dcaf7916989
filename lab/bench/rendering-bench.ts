// Rendering cost by region and canvas, relative to a bare GridSample of the same region; memory of a session.

import { bakeFirst } from "../../cli/commands/doctor/bake-first.ts";
import { toParameterVector } from "../../shared/face-parameters.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { CANVAS_SIZES, HD_CANVAS_SIZES } from "../../src/face/figure/canvas-sizes.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { benchFilm } from "./film-bench.ts";
import { gridSampleGraph } from "./grid-sample-graph.ts";
import { percentile } from "./percentile.ts";
import { round } from "./round.ts";

/** Candidates alternate, so that other load on the machine affects all alike. */
const ROUNDS = 15;
const FRAMES_PER_ROUND = 20;
const WARM_UP_FRAMES = 20;
const SESSIONS = 4;
/** A whole frame, chest and copies included, in bare GridSamples of its region. */
const GOAL_OF_SAMPLES = 0.25;
const HD_GOAL_OF_SAMPLES = 0.5;

interface Candidate {
  name: string;
  render(frame: number): Promise<unknown>;
  cpuMs: number[];
}

/** CPU ms per frame of this process (one thread renders): medians, and the tenth percentile as the least disturbed. */
export async function benchRendering() {
  const runtime = createNodeRuntime();
  const avatars = {
    square: await bakeFirst(runtime, "essence-2", CANVAS_SIZES["1:1"]),
    small: await bakeFirst(runtime, "essence-2-light", CANVAS_SIZES["1:1"]),
    hd: await bakeFirst(runtime, "essence-2", HD_CANVAS_SIZES["16:9"]),
  };
  const opened: Avatar[] = [];
  /** The executor, and the graph in ONNX Runtime beside it. */
  const both = async (name: string, imx: Imx): Promise<[Candidate, Candidate]> => {
    const executor = await openAvatar(imx, runtime);
    const graph = await openAvatar(imx, runtime, { executor: "runtime" });
    opened.push(executor, graph);
    return [frames(name, executor), frames(name, graph)];
  };
  const square = await both("region 384 in 512 x 512", avatars.square);
  const small = await both("region 256 in 512 x 512", avatars.small);
  const hd = await both("region 384 in 1280 x 720", avatars.hd);
  const [sample384, sample256] = [await yardstick(runtime, 384), await yardstick(runtime, 256)];
  const candidates = [...square, sample384, ...small, sample256, ...hd];
  for (const { render } of candidates) for (let i = 0; i < WARM_UP_FRAMES; i++) await render(i);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { render, cpuMs } of candidates) {
      const before = process.cpuUsage();
      for (let i = 0; i < FRAMES_PER_ROUND; i++) await render(i);
      cpuMs.push(usedMs(before) / FRAMES_PER_ROUND);
    }
  }
  for (const made of opened) await made.close();
  return {
    rows: [
      row(square, sample384, GOAL_OF_SAMPLES),
      row(small, sample256, GOAL_OF_SAMPLES),
      row(hd, sample384, HD_GOAL_OF_SAMPLES),
    ],
    bundle_mb: {
      "512 x 512": await sizeMb(avatars.square),
      "region 256": await sizeMb(avatars.small),
      "1280 x 720": await sizeMb(avatars.hd),
    },
    bundle_goal_mb: 3,
    memory_mb_per_session: await measureMemory(runtime, avatars.square),
    memory_goal_mb: 40,
    film_cpu_ms_per_frame: await benchFilm(runtime, avatars.square),
    film_goal_ms: 12,
  };
}

async function sizeMb(imx: Imx): Promise<number> {
  return round((await writeImx(imx)).length / 1e6);
}

/** Every parameter moves a little, as in speech. */
function frames(name: string, avatar: Avatar): Candidate {
  const rest = toParameterVector(avatar.restPose);
  const pose = rest.slice();
  const render = (frame: number) => {
    for (let k = 0; k < pose.length; k++) pose[k] = rest[k] + 0.3 * Math.sin(0.7 * frame + k);
    return avatar.render(pose, Math.sin(frame / 17));
  };
  return { name, render, cpuMs: [] };
}

async function yardstick(runtime: InferenceRuntime, sizePx: number): Promise<Candidate> {
  const session = await runtime.createSession(gridSampleGraph(sizePx));
  const grid = new runtime.Tensor("float32", new Float32Array(2 * sizePx * sizePx), [1, sizePx, sizePx, 2]);
  return { name: `GridSample ${sizePx}`, render: () => session.run({ grid }), cpuMs: [] };
}

function row([executor, graph]: [Candidate, Candidate], sample: Candidate, goal: number) {
  const least = ({ cpuMs }: Candidate) => percentile(cpuMs, 0.1);
  const timesSample = ({ cpuMs }: Candidate) => median(cpuMs) / median(sample.cpuMs);
  return {
    frame: executor.name,
    cpu_ms: round(median(executor.cpuMs)),
    cpu_ms_least_disturbed: round(least(executor)),
    graph_cpu_ms: round(median(graph.cpuMs)),
    graph_cpu_ms_least_disturbed: round(least(graph)),
    grid_sample_ms: round(median(sample.cpuMs)),
    grid_sample_ms_least_disturbed: round(least(sample)),
    times_grid_sample: round(timesSample(executor)),
    times_grid_sample_least_disturbed: round(least(executor) / least(sample)),
    graph_times_grid_sample: round(timesSample(graph)),
    goal_times_grid_sample: goal,
  };
}

/** Resident memory that each further session adds once one runs, MB. */
async function measureMemory(runtime: InferenceRuntime, imx: Imx): Promise<number> {
  const lipSyncModel = await loadLipSyncModel();
  const open: { close(): Promise<void> }[] = [];
  const start = async () => {
    const avatar = await openAvatar(imx, runtime);
    const engine = await createEngine({ avatar, runtime, lipSyncModel });
    for (let tick = 0; tick < WARM_UP_FRAMES; tick++) await engine.tick();
    open.push(engine, avatar);
  };
  await start();
  const before = process.memoryUsage().rss;
  for (let session = 0; session < SESSIONS; session++) await start();
  const grownMb = (process.memoryUsage().rss - before) / 2 ** 20 / SESSIONS;
  for (const each of open) await each.close();
  return round(grownMb);
}

function usedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: number[]): number {
  return percentile(values, 0.5);
}
