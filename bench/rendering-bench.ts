// Rendering cost by region and canvas, relative to a bare GridSample of the same region; memory of a session.
import { toParameterVector } from "../shared/face-parameters.ts";
import { createEngine } from "../src/engine/create-engine.ts";
import { CANVAS_SIZES, HD_CANVAS_SIZES } from "../src/figure/canvas-sizes.ts";
import { loadHearingModel } from "../src/hearing/hearing-model.ts";
import type { Imx } from "../src/imx/imx.ts";
import { writeImx } from "../src/imx/write-imx.ts";
import type { InferenceRuntime } from "../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../src/inference/node-runtime.ts";
import type { Avatar } from "../src/rendering/avatar.ts";
import { openAvatar } from "../src/rendering/open-avatar.ts";
import { bakeFirst } from "./bake-first.ts";
import { benchFilm } from "./film-bench.ts";
import { gridSampleGraph } from "./grid-sample-graph.ts";
import { percentile } from "./percentile.ts";
import { round } from "./round.ts";

/** Candidates alternate, so that other load on the machine affects all alike. */
const ROUNDS = 15;
const FRAMES_PER_ROUND = 20;
const WARM_UP_FRAMES = 20;
const SESSIONS = 4;

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
  const avatar = async (imx: Imx) => {
    const made = await openAvatar(imx, runtime);
    opened.push(made);
    return made;
  };
  const candidates = [
    frames("region 384 in 512 x 512", await avatar(avatars.square)),
    await yardstick(runtime, 384),
    frames("region 256 in 512 x 512", await avatar(avatars.small)),
    await yardstick(runtime, 256),
    frames("region 384 in 1280 x 720", await avatar(avatars.hd)),
  ];
  for (const { render } of candidates) for (let i = 0; i < WARM_UP_FRAMES; i++) await render(i);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { render, cpuMs } of candidates) {
      const before = process.cpuUsage();
      for (let i = 0; i < FRAMES_PER_ROUND; i++) await render(i);
      cpuMs.push(usedMs(before) / FRAMES_PER_ROUND);
    }
  }
  for (const made of opened) await made.close();
  const [square, square384, small, small256, hd] = candidates.map(({ cpuMs }) => cpuMs);
  return {
    rows: [
      row(candidates[0].name, square, square384, 4),
      row(candidates[2].name, small, small256, 2),
      {
        ...row(candidates[4].name, hd, square384, null),
        adds_ms: round(median(hd.map((value, i) => value - square[i]))),
        adds_ms_least_disturbed: round(percentile(hd, 0.1) - percentile(square, 0.1)),
        adds_goal_ms: 0.5,
      },
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

function frames(name: string, avatar: Avatar): Candidate {
  const pose = toParameterVector(avatar.restPose);
  const render = (frame: number) => avatar.render(pose, Math.sin(frame / 17));
  return { name, render, cpuMs: [] };
}

async function yardstick(runtime: InferenceRuntime, sizePx: number): Promise<Candidate> {
  const session = await runtime.createSession(gridSampleGraph(sizePx));
  const grid = new runtime.Tensor("float32", new Float32Array(2 * sizePx * sizePx), [1, sizePx, sizePx, 2]);
  return { name: `GridSample ${sizePx}`, render: () => session.run({ grid }), cpuMs: [] };
}

function row(name: string, rendered: number[], sampled: number[], goalMs: number | null) {
  const least = percentile(rendered, 0.1);
  return {
    frame: name,
    cpu_ms: round(median(rendered)),
    cpu_ms_least_disturbed: round(least),
    grid_sample_ms: round(median(sampled)),
    grid_sample_ms_least_disturbed: round(percentile(sampled, 0.1)),
    times_grid_sample: round(least / percentile(sampled, 0.1)),
    ...(goalMs === null ? {} : { goal_ms: goalMs }),
  };
}

/** Resident memory that each further session adds once one runs, MB. */
async function measureMemory(runtime: InferenceRuntime, imx: Imx): Promise<number> {
  const hearingModel = await loadHearingModel();
  const open: { close(): Promise<void> }[] = [];
  const start = async () => {
    const avatar = await openAvatar(imx, runtime);
    const engine = await createEngine({ avatar, runtime, hearingModel });
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
