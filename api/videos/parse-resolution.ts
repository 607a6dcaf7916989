// The canvas of a film, as its caller chooses it.
import { ServiceError } from "../../shared/errors.ts";
import { type AspectRatio, type CanvasSize, HD_CANVAS_SIZES } from "../../src/face/figure/canvas-sizes.ts";

/** Lengths of the shorter side, px: a face is recognisable, and what the contract allows. */
const LEAST_LINES = 256;
const MOST_LINES = 1_080;
/** Longest side: 16:9 at most lines. */
const MOST_PX = 1_920;
/** Lengths of named canvases relative to those with 720 lines. */
const NAMED_SCALES: ReadonlyMap<string, number> = new Map([
  ["720p", 1],
  ["1080p", 1.5],
]);

/** The canvas of a `resolution`: `720p` or `1080p` in the agent's ratio, or `<width>x<height>`. Throws
 *  VALIDATION_ERROR. */
export function parseResolution(resolution: string, aspectRatio: AspectRatio): CanvasSize {
  const scale = NAMED_SCALES.get(resolution);
  if (scale) {
    const { widthPx, heightPx } = HD_CANVAS_SIZES[aspectRatio];
    return { widthPx: widthPx * scale, heightPx: heightPx * scale };
  }
  const [, widthPx, heightPx] = (/^(\d{3,4})x(\d{3,4})$/.exec(resolution) ?? []).map(Number);
  const shorter = Math.min(widthPx, heightPx);
  const isInRange = shorter >= LEAST_LINES && shorter <= MOST_LINES && Math.max(widthPx, heightPx) <= MOST_PX;
  if (isInRange && widthPx % 2 === 0 && heightPx % 2 === 0) return { widthPx, heightPx };
  throw new ServiceError(
    "VALIDATION_ERROR",
    `resolution must be 720p, 1080p, or <width>x<height> in even numbers with ${LEAST_LINES} to ${MOST_LINES} px on the shorter side and at most ${MOST_PX} px on the longer one`,
  );
}
