// Finds every face in an image, large or small, with BlazeFace (short range).
import type { Affine } from "../../signal/image/affine.ts";
import { type ImagePyramid, warpPyramid } from "../../signal/image/pyramid.ts";
import type { InferenceRuntime, InferenceSession } from "../../signal/inference/inference-runtime.ts";
import { type FaceBox, type FaceCandidate, keepBest, mergeWeighted } from "./face-candidate.ts";

const INPUT_PX = 128;
/** The two grids of anchors: cells a side, anchors a cell. Source: the model's SSD options in MediaPipe. */
const ANCHOR_GRIDS = [
  { cells: 16, perCell: 2 },
  { cells: 8, perCell: 6 },
];
const VALUES_PER_ANCHOR = 16;
const KEYPOINT_COUNT = 6;
const MIN_SCORE = 0.5;
/** Higher threshold for tiles: they are many, and show faces out of context. */
const MIN_TILE_SCORE = 0.7;
/** Sides of the tiles as parts of the image's longer side. With them faces down to about 4 % of that side are found.
 *  */
const TILE_PARTS = [1 / 2, 1 / 4];
/** Margin for faces that fill the frame: the longer side of the view as a multiple of the image's. */
const PADDED_PART = 1.6;

/** A square part of the image shown to the network. */
interface View {
  x: number;
  y: number;
  sizePx: number;
  minScore: number;
}

/** The detector network. Input `input` float32 [1,128,128,3] in −1..1; outputs `regressors` [1,896,16] (box centre and
 *  size, then six points, in pixels from the anchor) and `classificators` [1,896,1] (logits). */
export class FaceDetector {
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;
  readonly #anchors = makeAnchors();

  constructor(runtime: InferenceRuntime, session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /** Every face, best score first. Looks at the whole image, at it with a margin, and at overlapping tiles. */
  async detect(pyramid: ImagePyramid): Promise<FaceCandidate[]> {
    const { widthPx, heightPx } = pyramid[0];
    const found: FaceCandidate[] = [];
    for (const view of viewsOf(widthPx, heightPx)) {
      for (const candidate of await this.#look(pyramid, view)) {
        if (isWholeIn(view, candidate.box, widthPx, heightPx)) found.push(candidate);
      }
    }
    return keepBest(found);
  }

  async #look(pyramid: ImagePyramid, view: View): Promise<FaceCandidate[]> {
    const scale = view.sizePx / INPUT_PX;
    const viewToImage: Affine = { a: scale, b: 0, tx: view.x, c: 0, d: scale, ty: view.y };
    const pixels = warpPyramid(pyramid, viewToImage, { widthPx: INPUT_PX, heightPx: INPUT_PX }, "zero").data;
    for (let i = 0; i < pixels.length; i++) pixels[i] = pixels[i] / 127.5 - 1;
    const input = new this.#runtime.Tensor("float32", pixels, [1, INPUT_PX, INPUT_PX, 3]);
    const outputs = await this.#session.run({ input });
    const boxes = outputs.regressors.data as Float32Array;
    const logits = outputs.classificators.data as Float32Array;
    const candidates: FaceCandidate[] = [];
    for (let anchor = 0; anchor < logits.length; anchor++) {
      const score = 1 / (1 + Math.exp(-logits[anchor]));
      if (score > view.minScore) candidates.push(this.#decode(boxes, anchor, score, view));
    }
    return mergeWeighted(candidates);
  }

  #decode(boxes: Float32Array, anchor: number, score: number, view: View): FaceCandidate {
    const values = boxes.subarray(anchor * VALUES_PER_ANCHOR, (anchor + 1) * VALUES_PER_ANCHOR);
    const x = (value: number): number => (value / INPUT_PX + this.#anchors[2 * anchor]) * view.sizePx + view.x;
    const y = (value: number): number => (value / INPUT_PX + this.#anchors[2 * anchor + 1]) * view.sizePx + view.y;
    const keypoints = new Float32Array(2 * KEYPOINT_COUNT);
    for (let point = 0; point < KEYPOINT_COUNT; point++) {
      keypoints[2 * point] = x(values[4 + 2 * point]);
      keypoints[2 * point + 1] = y(values[5 + 2 * point]);
    }
    const pxPerValue = view.sizePx / INPUT_PX;
    return {
      score,
      box: {
        centreX: x(values[0]),
        centreY: y(values[1]),
        widthPx: values[2] * pxPerValue,
        heightPx: values[3] * pxPerValue,
      },
      keypoints,
    };
  }
}

/** Anchor centres as x, y pairs in 0..1, in the network's order. */
function makeAnchors(): Float32Array {
  const anchors: number[] = [];
  for (const { cells, perCell } of ANCHOR_GRIDS) {
    for (let row = 0; row < cells; row++) {
      for (let column = 0; column < cells; column++) {
        for (let copy = 0; copy < perCell; copy++) anchors.push((column + 0.5) / cells, (row + 0.5) / cells);
      }
    }
  }
  return Float32Array.from(anchors);
}

function viewsOf(widthPx: number, heightPx: number): View[] {
  const longPx = Math.max(widthPx, heightPx);
  const centred = (part: number): View => {
    const sizePx = longPx * part;
    return { x: (widthPx - sizePx) / 2, y: (heightPx - sizePx) / 2, sizePx, minScore: MIN_SCORE };
  };
  const views = [centred(1), centred(PADDED_PART)];
  for (const part of TILE_PARTS) {
    const sizePx = longPx * part;
    // Below the network's own size a tile only enlarges blur.
    if (sizePx < INPUT_PX) continue;
    for (const y of tileStarts(heightPx, sizePx)) {
      for (const x of tileStarts(widthPx, sizePx)) views.push({ x, y, sizePx, minScore: MIN_TILE_SCORE });
    }
  }
  return views;
}

/** Starts of tiles that cover `lengthPx` and overlap by half, so that a face cut by one is whole in the next. */
function tileStarts(lengthPx: number, tilePx: number): number[] {
  if (lengthPx <= tilePx) return [(lengthPx - tilePx) / 2];
  const steps = Math.ceil((lengthPx - tilePx) / (tilePx / 2));
  return Array.from({ length: steps + 1 }, (_, step) => (step * (lengthPx - tilePx)) / steps);
}

/** False if the box leaves the view where the image goes on: the face is cut there, and another view has all of it.
 *  */
function isWholeIn(view: View, box: FaceBox, widthPx: number, heightPx: number): boolean {
  const left = box.centreX - box.widthPx / 2;
  const right = box.centreX + box.widthPx / 2;
  const top = box.centreY - box.heightPx / 2;
  const bottom = box.centreY + box.heightPx / 2;
  return (
    (left >= view.x || view.x <= 0) &&
    (top >= view.y || view.y <= 0) &&
    (right <= view.x + view.sizePx || view.x + view.sizePx >= widthPx) &&
    (bottom <= view.y + view.sizePx || view.y + view.sizePx >= heightPx)
  );
}
