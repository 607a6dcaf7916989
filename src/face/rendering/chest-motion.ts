// Breathing shoulders: the part of a frame below the chin, moved down a little as the chest sinks. It works on finished
// frames: in the rig, only the square around the face would move and its edge must stand still, and a larger square
// costs by its area. The portrait shows the inhaled state, so no pixels are invented.

import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { ChestField } from "../figure/chest-field.ts";
import { aimLevels, CHEST_LEVELS, CHEST_ONE, type MovingPlane, planChest, WORD_PX } from "./chest-plan.ts";

/** Every other byte of a word, each with room for its product with a fraction; and half of CHEST_ONE for each, so that
 *  cutting rounds. */
const EVERY_OTHER = 0x00ff00ff;
const HALVES = 0x00800080;

/** Moves the chest of frames of one size. */
export class ChestMotion {
  /** First row of the still frame that is read, even. */
  readonly firstSourceRow: number;
  readonly #planes: readonly MovingPlane[];
  readonly #offsets = new Int32Array(CHEST_LEVELS);
  readonly #fractions = new Int32Array(CHEST_LEVELS);

  /** Throws RangeError as `planChest`. */
  constructor(field: ChestField, canvas: { widthPx: number; heightPx: number }) {
    this.#planes = planChest(field, canvas);
    const firstRow = Math.min(this.#planes[0].firstRow, 2 * this.#planes[1].firstRow);
    this.firstSourceRow = Math.max(0, (firstRow - 2 * Math.ceil(field.travelPx) - 2) & ~1);
  }

  /** Writes what moves from `still` into `frame` (same size), for a breath of −1 (out) to 1 (in, the still frame
   *  itself). */
  apply(still: I420Frame, frame: I420Frame, breath: number): void {
    const from = wordsOf(still.data);
    const to = wordsOf(frame.data);
    for (const plane of this.#planes) {
      aimLevels(plane, breath, this.#offsets, this.#fractions);
      this.#move(plane, from, to);
    }
  }

  #move({ runs, strideWords }: MovingPlane, from: Int32Array, to: Int32Array): void {
    for (let run = 0; run < runs.length; run += 3) {
      const end = runs[run + 1];
      const level = runs[run + 2];
      const below = this.#fractions[level];
      const above = CHEST_ONE - below;
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
