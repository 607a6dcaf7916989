// The face process of a self-hosted worker: bakes avatars from images of strangers, renders test frames and measures
// the engine, one task at a time, with nothing of the worker's environment.
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { toParameterVector } from "../../../shared/face-parameters.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../../src/face/portrait/portrait-face.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { encodeJpeg } from "../../../src/signal/image/encode-image.ts";
import { i420ToRgb } from "../../../src/signal/image/i420-frame.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import type { BakeTask, BenchmarkTask, FaceResult, FaceTask, FrameTask } from "./face-messages.ts";

/** Three times the memory of the largest bake. */
const MAX_MEMORY_BYTES = 3_000_000_000;
/** As for portraits of sessions: the canvas is 512 px. */
const PORTRAIT_SIDE_PX = 2048;
/** Photographs that the avatar is baked from need no trained model. */
const FAMILY = "expression-1";
const RATE_HZ = 16_000;
const TICKS_PER_SECOND = 25;
/** What the first frames load is not measured. */
const WARM_UP_TICKS = 10;
const VOICE_HZ = 140;
const SYLLABLE_HZ = 4;

async function bake({ bytes, points, style }: BakeTask): Promise<{ imx: Uint8Array }> {
  // Points are those of the whole image.
  const portrait = await decodeImage(bytes, points ? {} : { maxSidePx: PORTRAIT_SIDE_PX });
  const found = points ?? (await findPoints(portrait));
  const { imx } = await bakeImx(portrait, { points: found, style }, await loadBakeTools(createNodeRuntime()), {
    family: FAMILY,
  });
  return { imx: await writeImx(imx) };
}

async function findPoints(portrait: Awaited<ReturnType<typeof decodeImage>>): Promise<Float32Array> {
  const finder = await FaceFinder.load(createNodeRuntime(), await loadFaceModels());
  try {
    return (await choosePortraitFace(portrait, finder)).landmarks.points;
  } finally {
    await finder.close();
  }
}

async function renderFrame({ imx }: FrameTask): Promise<{ jpeg: Uint8Array }> {
  const avatar = await openAvatar(await readImx(imx), createNodeRuntime());
  try {
    return { jpeg: await encodeJpeg(i420ToRgb(await avatar.render(toParameterVector(avatar.restPose)))) };
  } finally {
    await avatar.close();
  }
}

/** Speech-like audio through lip sync, motion and renderer, as in a session, without a room. */
async function measure(task: BenchmarkTask): Promise<{ meanMs: number }> {
  const runtime = createNodeRuntime();
  const rendering = task.provider === "cuda" ? createNodeRuntime({ provider: "cuda" }) : runtime;
  const avatar = await openAvatar(await readImx(task.imx), rendering);
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
  try {
    const ticks = WARM_UP_TICKS + task.iterations * task.framesPerIteration;
    const segment = engine.openSegment("benchmark", RATE_HZ);
    segment.push(syllables(Math.ceil((ticks / TICKS_PER_SECOND) * RATE_HZ)));
    segment.end();
    for (let tick = 0; tick < WARM_UP_TICKS; tick++) await engine.tick();
    const startMs = performance.now();
    for (let tick = WARM_UP_TICKS; tick < ticks; tick++) await engine.tick();
    return { meanMs: (performance.now() - startMs) / task.iterations };
  } finally {
    await engine.close();
    await avatar.close();
  }
}

function syllables(count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, index) => {
    const seconds = index / RATE_HZ;
    const loudness = 0.5 - 0.5 * Math.cos(2 * Math.PI * SYLLABLE_HZ * seconds);
    return 12_000 * loudness * (((VOICE_HZ * seconds) % 1) * 2 - 1);
  });
}

limitMemory(MAX_MEMORY_BYTES);
serveTasks<FaceTask, FaceResult>(async (task) => {
  switch (task.task) {
    case "bake":
      return bake(task);
    case "frame":
      return renderFrame(task);
    case "benchmark":
      return measure(task);
  }
});
