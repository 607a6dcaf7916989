// Bakes the face from the marks and renders it, beside the page, so that the page answers while this computes. The
// first message brings the portrait and the canvas, each later one marks.
import { FACE_PARAMETERS, type FacePose } from "../../shared/face-parameters.ts";
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import type { FaceMarks } from "../../src/face/portrait/face-marks.ts";
import { mapMarks } from "../../src/face/portrait/fit-face-marks.ts";
import { meshFromMarks } from "../../src/face/portrait/mesh-from-marks.ts";
import { writeRgba } from "../../src/face/rendering/i420-to-rgba.ts";
import { matchRig } from "../../src/face/rendering/rig-executor/match-rig.ts";
import { loadRigModule } from "../../src/face/rendering/rig-executor/open-rig-executor.ts";
import { RigExecutor } from "../../src/face/rendering/rig-executor/rig-executor.ts";
import { bakePortrait } from "../../src/face/rig/bake-portrait.ts";
import { toI420Frame } from "../../src/signal/image/i420-frame.ts";
import { createRgbImage, type RgbImage } from "../../src/signal/image/raster.ts";
import { createWebRuntime } from "../../src/signal/inference/web-runtime.ts";
import type { PreviewAnswer, PreviewOrder } from "./face-preview.ts";
import { previewPose, ROUND_MS } from "./preview-motion.ts";

/** Sides of the preview and of what moves in it, px: smaller than those of a session, because it is shown small. */
const CANVAS_PX = 384;
const REGION_PX = 288;
/** Longer side to which the portrait is reduced, px. */
const MAX_PORTRAIT_PX = 1280;

interface Portrait {
  image: RgbImage;
  /** Px of the image for each px of the portrait. */
  scale: number;
}

interface Face {
  /** The part of the canvas that moves, which is what is shown. */
  region: { x: number; y: number; sizePx: number };
  executor: RigExecutor;
  restPose: FacePose;
}

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<PreviewOrder>) => void) | null;
  postMessage(answer: PreviewAnswer): void;
};
let portrait: Portrait | undefined;
let context: OffscreenCanvasRenderingContext2D | null = null;
let face: Face | undefined;
let isPlaying = true;
let playedMs = 0;
/** Counts orders: a bake ends early once there is a newer one. */
let latest = 0;

scope.onmessage = ({ data }) => {
  if (data.type === "open") {
    portrait = readPortrait(data.portrait);
    context = data.canvas.getContext("2d", { alpha: false });
  } else if (data.type === "play") isPlaying = data.isPlaying;
  else void bake(data.marks);
};

setInterval(() => {
  if (!face || !context || !isPlaying) return;
  playedMs = (playedMs + 1000 / FRAME_RATE_FPS) % ROUND_MS;
  render(face, context, playedMs);
}, 1000 / FRAME_RATE_FPS);

async function bake(marks: FaceMarks): Promise<void> {
  latest += 1;
  const order = latest;
  try {
    const baked = await bakeFace(marks, () => order === latest);
    if (order !== latest) return;
    face = baked;
    playedMs = 0;
    if (context) render(face, context, playedMs);
    scope.postMessage("shown");
  } catch {
    if (order === latest) scope.postMessage("failed");
  }
}

async function bakeFace(marks: FaceMarks, isWanted: () => boolean): Promise<Face> {
  if (!portrait) throw new Error("there is no portrait yet");
  const { image, scale } = portrait;
  const points = meshFromMarks(
    mapMarks(marks, ({ x, y }) => ({ x: (x + 0.5) * scale - 0.5, y: (y + 0.5) * scale - 0.5 })),
  );
  const { canvas, region, rig, restPose } = await bakePortrait(
    image,
    { points },
    {
      canvas: { widthPx: CANVAS_PX, heightPx: CANVAS_PX },
      regionPx: REGION_PX,
      onProgress: () => {
        if (!isWanted()) throw new Error("a newer face is wanted");
      },
    },
  );
  const module = await loadRigModule(await createWebRuntime({ provider: "wasm" }));
  const matched = matchRig(rig);
  if (!module || "mismatch" in matched) throw new Error("this browser cannot render the face");
  const box = { x: region.x, y: region.y, sizePx: region.widthPx };
  const parameters = [...FACE_PARAMETERS];
  const plan = { manifest: { region: box, parameters }, chest: null };
  return { region: box, executor: new RigExecutor(module, matched, plan, toI420Frame(canvas)), restPose };
}

function render({ region, executor, restPose }: Face, target: OffscreenCanvasRenderingContext2D, timeMs: number): void {
  const frame = executor.render(previewPose(restPose, timeMs), 0);
  const shown = new ImageData(frame.widthPx, frame.heightPx);
  writeRgba(frame, shown.data);
  if (target.canvas.width !== region.sizePx) target.canvas.width = target.canvas.height = region.sizePx;
  target.putImageData(shown, -region.x, -region.y);
}

function readPortrait(bitmap: ImageBitmap): Portrait {
  const scale = Math.min(1, MAX_PORTRAIT_PX / Math.max(bitmap.width, bitmap.height));
  const [widthPx, heightPx] = [Math.round(scale * bitmap.width), Math.round(scale * bitmap.height)];
  const drawing = new OffscreenCanvas(widthPx, heightPx).getContext("2d", { willReadFrequently: true });
  if (!drawing) throw new Error("this browser cannot read the portrait");
  drawing.drawImage(bitmap, 0, 0, widthPx, heightPx);
  bitmap.close();
  const { data } = drawing.getImageData(0, 0, widthPx, heightPx);
  const image = createRgbImage(widthPx, heightPx);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    image.data[to] = data[from];
    image.data[to + 1] = data[from + 1];
    image.data[to + 2] = data[from + 2];
  }
  return { image, scale };
}
