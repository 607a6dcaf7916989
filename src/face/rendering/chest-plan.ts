// Which pixels of a frame the breath moves, and where they come from.

import { createPlane } from "../../signal/image/raster.ts";
import { resize } from "../../signal/image/resize.ts";
import type { ChestField } from "../figure/chest-field.ts";

/** Levels of movement; with 2 px of travel one is a thirtieth of a pixel. Few levels make long runs. */
export const CHEST_LEVELS = 64;
/** Fractions of a pixel are counted in these. */
export const CHEST_ONE = 256;
/** Adjacent pixels with the same movement, so that one calculation serves the four bytes of a word. */
export const WORD_PX = 4;

/** The words of one plane that move, as runs of neighbours in a row that move alike. */
export interface MovingPlane {
  strideWords: number;
  firstRow: number;
  /** Three numbers a run: first word in a frame, word after the last, level. */
  runs: Int32Array;
  /** Travel in pixels of this plane. */
  travelPx: number;
}

/** The three planes of frames of one size. Throws RangeError unless rows of luma and chroma are whole words: the width
 *  is a multiple of 8, and the height even. */
export function planChest(field: ChestField, canvas: Size): MovingPlane[] {
  const { widthPx, heightPx } = canvas;
  if (widthPx % (2 * WORD_PX) || heightPx % 2)
    throw new RangeError("a frame with chest motion must be a multiple of 8 wide and even in height");
  const lumaSize = widthPx * heightPx;
  const half = { widthPx: widthPx / 2, heightPx: heightPx / 2 };
  const chroma = movingPlane(field, half, lumaSize, field.travelPx / 2);
  return [movingPlane(field, canvas, 0, field.travelPx), chroma, movedBy(chroma, lumaSize / 4 / WORD_PX)];
}

/** Where each level takes its pixels from at a breath of −1 (out) to 1 (in): writes offsets of the upper row, in words,
 *  and fractions of the lower row. Any other breath counts as the nearest of these; what is no number, as 1. */
export function aimLevels(plane: MovingPlane, breath: number, offsets: Int32Array, fractions: Int32Array): void {
  const inhaled = breath <= -1 ? -1 : breath < 1 ? breath : 1;
  const sinkPx = (plane.travelPx * (1 - inhaled)) / 2;
  for (let level = 0; level < CHEST_LEVELS; level++) {
    const upPx = (sinkPx * level) / (CHEST_LEVELS - 1);
    // One row more than needed where no pixel moves, so that the next row is always in the plane.
    const whole = Math.floor(upPx) + 1;
    offsets[level] = -whole * plane.strideWords;
    fractions[level] = Math.round((whole - upPx) * CHEST_ONE);
  }
}

/** `start`: the plane's first byte in a frame. */
function movingPlane(field: ChestField, size: Size, start: number, travelPx: number): MovingPlane {
  const { heightPx } = size;
  const strideWords = size.widthPx / WORD_PX;
  const cells = createPlane(field.columns, field.rows, 1, Float32Array.from(field.data));
  const words = resize(cells, { widthPx: strideWords, heightPx });
  const levels = new Uint8Array(words.data.length);
  for (let word = 0; word < levels.length; word++)
    levels[word] = Math.round((words.data[word] * (CHEST_LEVELS - 1)) / 255);
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

/** The same movement in a plane that begins so many words later in the frame. */
function movedBy(plane: MovingPlane, words: number): MovingPlane {
  const runs = plane.runs.slice();
  for (let at = 0; at < runs.length; at += 3) {
    runs[at] += words;
    runs[at + 1] += words;
  }
  return { ...plane, runs };
}

interface Size {
  widthPx: number;
  heightPx: number;
}
