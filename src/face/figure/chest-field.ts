// A field of how much each part of the image moves with the breath: shoulders and chest fully, head and background not
// at all.

import { gaussianBlur } from "../../signal/image/gaussian-blur.ts";
import { createPlane, type Plane } from "../../signal/image/raster.ts";
import { resize } from "../../signal/image/resize.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import type { FaceOval } from "../portrait/face-points.ts";
import { showsPerson } from "./person-matte.ts";

/** One value of the field serves this many pixels each way. */
const CHEST_CELL_PX = 8;
/** The movement begins this far below the chin and is whole this far below it, in heights of the face: a jaw that drops
 *  stays above. */
const BEGINS = 0.14;
const WHOLE = 0.62;
/** How far the chest sinks from breathed in to breathed out, in heights of the face: about 2 mm. */
const TRAVEL = 0.0095;
/** The movement ends softly outside the outline, in cells. */
const SOFTNESS = 1.2;

/** The part of an image that breathes. */
export interface ChestField {
  columns: number;
  rows: number;
  /** Way down from breathed in to breathed out where a value is 255, px of the canvas. */
  travelPx: number;
  /** uint8 [rows × columns], each the share of the way that its cell of 8 × 8 px goes. */
  data: Uint8Array;
}

/** The field of a framed image, or null if it shows no person or nothing below the chin, or if its width is no
 *  multiple of 8. `person`: probability, one channel of the canvas's size; `oval`: the face in its pixels. */
export function createChestField(person: Plane, oval: FaceOval): ChestField | null {
  if (person.widthPx % CHEST_CELL_PX || !showsPerson(person)) return null;
  const columns = Math.ceil(person.widthPx / CHEST_CELL_PX);
  const rows = Math.ceil(person.heightPx / CHEST_CELL_PX);
  const cells = resize(person, { widthPx: columns, heightPx: rows }, "area");
  const solid = createPlane(
    columns,
    rows,
    1,
    // Cells on the outline count fully, so that a shoulder does not bend at its edge.
    cells.data.map((value) => smoothstep((value - 0.05) / 0.3)),
  );
  const soft = gaussianBlur(solid, SOFTNESS);
  const data = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const belowChin = ((row + 0.5) * CHEST_CELL_PX - oval.bottomPx) / oval.heightPx;
    const share = smoothstep((belowChin - BEGINS) / (WHOLE - BEGINS));
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      data[at] = Math.round(255 * share * Math.max(soft.data[at], 0));
    }
  }
  return data.some((value) => value > 0) ? { columns, rows, travelPx: TRAVEL * oval.heightPx, data } : null;
}
