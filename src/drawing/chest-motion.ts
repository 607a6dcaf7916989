// Breathing shoulders: the part of a picture below the chin, moved down a little as the chest sinks.
import type { ChestField } from "../figure/chest-field.ts";
import { createPlane } from "../image/raster.ts";
import { resize } from "../image/resize.ts";
import type { I420Frame } from "./i420-frame.ts";

/** Levels of movement; with 2 px of travel one is a thirtieth of a pixel. Few levels make long runs. */
const LEVELS = 64;
/** Fractions of a pixel are counted in these. */
const ONE = 256;

/** The pixels of one plane that move, as runs of neighbours in a row that move alike. */
interface MovingPlane {
  stride: number;
  firstRow: number;
  /** Three numbers a run: first byte in a frame, byte after the last, level. */
  runs: Int32Array;
  /** Travel in pixels of this plane. */
  travelPx: number;
}

/** Moves the chest of frames of one size. Allocates nothing while it moves. */
export class ChestMotion {
  /** First row of the still picture that is read, even. */
  readonly firstSourceRow: number;
  readonly #planes: readonly MovingPlane[];
  readonly #offsets = new Int32Array(LEVELS);
  readonly #fractions = new Int32Array(LEVELS);

  constructor(field: ChestField, canvas: { widthPx: number; heightPx: number }) {
    const { widthPx, heightPx } = canvas;
    const lumaSize = widthPx * heightPx;
    const half = { widthPx: widthPx / 2, heightPx: heightPx / 2 };
    this.#planes = [
      movingPlane(field, canvas, 0, field.travelPx),
      movingPlane(field, half, lumaSize, field.travelPx / 2),
      movingPlane(field, half, lumaSize + lumaSize / 4, field.travelPx / 2),
    ];
    const firstRow = Math.min(this.#planes[0].firstRow, 2 * this.#planes[1].firstRow);
    this.firstSourceRow = Math.max(0, (firstRow - 2 * Math.ceil(field.travelPx) - 2) & ~1);
  }

  /** Writes what moves from `still` into `frame` (same size), for a breath of −1 (out) to 1 (in, the still picture itself). */
  draw(still: I420Frame, frame: I420Frame, breath: number): void {
    for (const plane of this.#planes) {
      this.#aim((plane.travelPx * (1 - breath)) / 2, plane.stride);
      this.#move(plane, still.data, frame.data);
    }
  }

  /** Where each level takes its pixels from when the whole field sinks by `sinkPx`. */
  #aim(sinkPx: number, stride: number): void {
    for (let level = 0; level < LEVELS; level++) {
      const upPx = (sinkPx * level) / (LEVELS - 1);
      // One row more than needed where nothing moves, so that the row below is always in the plane.
      const whole = Math.floor(upPx) + 1;
      this.#offsets[level] = -whole * stride;
      this.#fractions[level] = Math.round((whole - upPx) * ONE);
    }
  }

  #move({ runs, stride }: MovingPlane, from: Uint8Array, to: Uint8Array): void {
    for (let run = 0; run < runs.length; run += 3) {
      const end = runs[run + 1];
      const level = runs[run + 2];
      const fraction = this.#fractions[level];
      let source = runs[run] + this.#offsets[level];
      for (let at = runs[run]; at < end; at++, source++) {
        const above = from[source];
        to[at] = above + (((from[source + stride] - above) * fraction + ONE / 2) >> 8);
      }
    }
  }
}

/** `start`: the plane's first byte in a frame. */
function movingPlane(field: ChestField, size: Size, start: number, travelPx: number): MovingPlane {
  const { widthPx, heightPx } = size;
  const cells = createPlane(field.columns, field.rows, 1, Float32Array.from(field.data));
  const levels = Uint8Array.from(resize(cells, size).data, (value) => Math.round((value * (LEVELS - 1)) / 255));
  // The topmost rows have none above them to come from.
  const reach = Math.ceil(travelPx) + 1;
  let firstRow = heightPx;
  const runs: number[] = [];
  for (let row = reach; row < heightPx; row++) {
    for (let column = 0, end = 0; column < widthPx; column = end) {
      const level = levels[row * widthPx + column];
      for (end = column + 1; end < widthPx && levels[row * widthPx + end] === level; ) end++;
      if (level === 0) continue;
      firstRow = Math.min(firstRow, row);
      runs.push(start + row * widthPx + column, start + row * widthPx + end, level);
    }
  }
  return { stride: widthPx, firstRow, runs: Int32Array.from(runs), travelPx };
}

interface Size {
  widthPx: number;
  heightPx: number;
}
