// The bake worker: one picture, one task after the other.
import { config } from "zod/mini";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { bakeImx } from "../../../../src/face/rig/bake-imx.ts";
import type { RgbImage } from "../../../../src/signal/image/raster.ts";
import type {
  BakedFace,
  BakeResults,
  BakeSettings,
  BakeTask,
  FoundFaces,
  FromWorker,
  ToWorker,
} from "./bake-messages.ts";
import { decodePicture } from "./decode-picture.ts";
import { encodeJpeg } from "./encode-jpeg.ts";
import { openTools, type TabTools } from "./open-tools.ts";
import { type SearchedPicture, searchFaces } from "./search-faces.ts";
import { toTabBakeError } from "./tab-bake-error.ts";

/** The part of a worker's global object that is used; the page's types have no worker. */
interface WorkerScope {
  postMessage(message: FromWorker): void;
  addEventListener(type: "message", receive: (event: MessageEvent<ToWorker>) => void): void;
}

type FindTask = Extract<BakeTask, { task: "find" }>;

const scope = globalThis as unknown as WorkerScope;
const running = new Map<number, AbortController>();
let queue: Promise<void> = Promise.resolve();
let tools: Promise<TabTools> | undefined;
let decoded: { number: number; image: RgbImage } | undefined;
let searched: SearchedPicture | undefined;

// Zod would otherwise try to compile code, which the policy forbids.
config({ jitless: true });

scope.addEventListener("message", ({ data }) => {
  if ("cancel" in data) return running.get(data.id)?.abort();
  const { id, task } = data;
  const abort = new AbortController();
  running.set(id, abort);
  queue = queue.then(async () => {
    try {
      abort.signal.throwIfAborted();
      const result = await perform(task, (progress) => scope.postMessage({ id, progress }), abort.signal);
      scope.postMessage({ id, result });
    } catch (error) {
      const { code, message } = toTabBakeError(error);
      scope.postMessage({ id, problem: { code, message } });
    } finally {
      running.delete(id);
    }
  });
});

async function perform(
  task: BakeTask,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<BakeResults[keyof BakeResults]> {
  switch (task.task) {
    case "prepare":
      await useTools();
      return null;
    case "find":
      return find(task, signal);
    case "bake":
      return bake(task.face, task.settings, onProgress, signal);
    case "picture":
      return encodeJpeg(pictureInHand().image);
  }
}

function useTools(): Promise<TabTools> {
  tools ??= openTools();
  return tools;
}

async function find({ picture, number, edit }: FindTask, signal: AbortSignal): Promise<FoundFaces> {
  searched = undefined;
  const opening = useTools();
  // Reported below; a broken picture is the first thing to tell.
  opening.catch(() => undefined);
  if (decoded?.number !== number) {
    // Memory for one picture at a time.
    decoded = undefined;
    decoded = { number, image: await decodePicture(picture) };
  }
  searched = await searchFaces(decoded.image, edit, (await opening).finder, signal);
  return searched.found;
}

async function bake(
  face: number,
  settings: BakeSettings,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<BakedFace> {
  const { image, faces } = pictureInHand();
  const { points } = faces[face].landmarks;
  const { imx, baked } = await bakeImx(image, { points }, (await useTools()).bake, { ...settings, onProgress, signal });
  return { imx: await writeImx(imx), notes: baked.notes };
}

function pictureInHand(): SearchedPicture {
  if (!searched) throw new Error("no picture was searched");
  return searched;
}
