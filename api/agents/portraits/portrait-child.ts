// The portrait process: inspects images, finds faces and bakes avatars for the api, one task at a time.
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../../src/face/portrait/face-models.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { performBake } from "./bake-task.ts";
import { inspectPortrait } from "./inspect-portrait.ts";
import { locateFace } from "./locate-face.ts";
import type { PortraitResult, PortraitTask } from "./portrait-messages.ts";

/** Three times the memory of the largest bake. */
const MAX_MEMORY_BYTES = 3_000_000_000;

const runtime = createNodeRuntime();
let finder: Promise<FaceFinder> | null = null;

/** The networks, loaded for the first image and kept. A failed load is repeated for the next image. */
function useFinder(): Promise<FaceFinder> {
  if (finder) return finder;
  const loading = loadFaceModels().then((models) => FaceFinder.load(runtime, models));
  finder = loading;
  loading.catch(() => {
    finder = null;
  });
  return loading;
}

limitMemory(MAX_MEMORY_BYTES);
serveTasks<PortraitTask, PortraitResult>(async (task, onProgress) => {
  switch (task.task) {
    case "inspect":
      return inspectPortrait(task, useFinder);
    case "locate":
      return locateFace(task.bytes, await useFinder());
    case "bake":
      return performBake(task, runtime, onProgress);
  }
});
