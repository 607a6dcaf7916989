// Breathing shoulders: the part of a frame below the chin, moved down a little as the chest sinks.
import type { ChestField } from "../figure/chest-field.ts";
import { createPlane } from "../image/raster.ts";
import { resize } from "../image/resize.ts";
import type { I420Frame } from "./i420-frame.ts";

/** Levels of movement; with 2 px of travel one is a thirtieth of a pixel. Few levels make long runs. */
const LEVELS = 64;
/** Fractions of a pixel are counted in these. */
const ONE = 256;
/** Adjacent pixels with the same movement, so that one calculation serves the four bytes of a word. */
const WORD_PX = 4;
/** Every other byte of a word, each with room for its product with a fraction; and half of ONE for each, so that
 *  cutting rounds. */
const EVERY_OTHER = 0x00ff00ff;
const HALVES = 0x00800080;

/** The words of one plane that move, as runs of neighbours in a row that move alike. */
interface MovingPlane {
  strideWords: number;
  firstRow: number;
  /** Three numbers a run: first word in a frame, word after the last, level. */
  runs: Int32Array;
  /** Travel in pixels of this plane. */
  travelPx: number;
}

/** Moves the chest of frames of one size. */
export class ChestMotion {
  /** First row of the still frame that is read, even. */
  readonly firstSourceRow: number;
  readonly #planes: readonly MovingPlane[];
  readonly #offsets = new Int32Array(LEVELS);
  readonly #fractions = new Int32Array(LEVELS);

  /** Throws RangeError unless rows of luma and chroma are whole words: the width is a multiple of 8, and the height
   *  even. */
  constructor(field: ChestField, canvas: Size) {
    const { widthPx, heightPx } = canvas;
    if (widthPx % (2 * WORD_PX) || heightPx % 2)
      throw new RangeError("a frame with chest motion must be a multiple of 8 wide and even in height");
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

  /** Writes what moves from `still` into `frame` (same size), for a breath of −1 (out) to 1 (in, the still frame
   *  itself). */
  apply(still: I420Frame, frame: I420Frame, breath: number): void {
    const from = wordsOf(still.data);
    const to = wordsOf(frame.data);
    for (const plane of this.#planes) {
      this.#aim((plane.travelPx * (1 - breath)) / 2, plane.strideWords);
      this.#move(plane, from, to);
    }
  }

  /** Where each level takes its pixels from when the whole field sinks by `sinkPx`. */
  #aim(sinkPx: number, strideWords: number): void {
    for (let level = 0; level < LEVELS; level++) {
      const upPx = (sinkPx * level) / (LEVELS - 1);
      // One row more than needed where no pixel moves, so that the next row is always in the plane.
      const whole = Math.floor(upPx) + 1;
      this.#offsets[level] = -whole * strideWords;
      this.#fractions[level] = Math.round((whole - upPx) * ONE);
    }
  }

  #move({ runs, strideWords }: MovingPlane, from: Int32Array, to: Int32Array): void {
    for (let run = 0; run < runs.length; run += 3) {
      const end = runs[run + 1];
      const level = runs[run + 2];
      const below = this.#fractions[level];
      const above = ONE - below;
      let source = runs[run] + this.#offsets[level];
      for (let at = runs[run]; at < end; at++, source++) {
        const upper = from[source];
        const lower = from[source + strideWords];
        const even = Math.imul(upper & EVERY_OTHER, above) + Math.imul(lower & EVERY_OTHER, below) + HALVES;
        const odd =
          Math.imul((upper >>> 8) & EVERY_OTHER, above) + Math.imul((lower >>> 8) & EVERY_OTHER, below) + HALVES;
        to[at] = ((even >>> 8) & EVERY_OTHER) | (odd & ~EVERY_OTHER);
      }
    }
  }
}

/** The bytes of a frame, four at a time. Frames are allocated whole, so they begin at a word. */
function wordsOf({ buffer, byteOffset, length }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length / WORD_PX);
}

/** `start`: the plane's first byte in a frame. */
function movingPlane(field: ChestField, size: Size, start: number, travelPx: number): MovingPlane {
  const { heightPx } = size;
  const strideWords = size.widthPx / WORD_PX;
  const cells = createPlane(field.columns, field.rows, 1, Float32Array.from(field.data));
  const words = resize(cells, { widthPx: strideWords, heightPx });
  const levels = Uint8Array.from(words.data, (value) => Math.round((value * (LEVELS - 1)) / 255));
  // The topmost rows have none above them to come from.
  const reach = Math.ceil(travelPx) + 1;
  let firstRow = heightPx;
  const runs: number[] = [];
  for (let row = reach; row < heightPx; row++) {
    const rowStart = row * strideWords;
    for (let column = 0, end = 0; column < strideWords; column = end) {
      const level = levels[rowStart + column];
      for (end = column + 1; end < strideWords && levels[rowStart + end] === level; ) end++;
      if (level === 0) continue;
      firstRow = Math.min(firstRow, row);
      runs.push(start / WORD_PX + rowStart + column, start / WORD_PX + rowStart + end, level);
    }
  }
  return { strideWords, firstRow, runs: Int32Array.from(runs), travelPx };
}

interface Size {
  widthPx: number;
  heightPx: number;
}
