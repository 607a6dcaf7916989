// The moving layers of a rig: position, grid, and motion by the parameters.

import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import type { PixelBox } from "../../signal/image/raster.ts";
import type { Point } from "../portrait/face-points.ts";
import type { RigInputName } from "../rig-graph/rig-inputs.ts";
import { lidShifts, RAISED_LID, type RigBoxes } from "../rig-graph/rig-shape.ts";
import { DisplacementBasis } from "./displacements/displacement-basis.ts";
import { addExpressions } from "./displacements/expression-displacements.ts";
import { FaceFrame } from "./displacements/face-frame.ts";
import { createHeadDepth, type HeadDepth } from "./displacements/head-depth.ts";
import { addHeadMotion, addUpperFace, edgeFade } from "./displacements/head-displacements.ts";
import { addLipDisplacements } from "./displacements/lip-displacements.ts";
import { createSkinLight, type SkinLight, type SkinLook } from "./displacements/skin-light.ts";
import { eyeOpening, lidShift, raisedLidShift } from "./measure/eye-frame.ts";
import { type FaceGeometry, JAW_DROP_MM } from "./measure/face-geometry.ts";
import { mouthShareBelowGlasses } from "./measure/glasses.ts";
import type { LocalFrame } from "./measure/local-frame.ts";
import { rigBoxes } from "./rig-boxes.ts";

/** Size of a grid cell in px. The head is smooth except at the lips, where the jaw layer's finer grid meets it. */
const HEAD_CELL_PX = 6;
const JAW_CELL_PX = 4;
const LID_CELL_PX = 2;

/** Shift of the upper lids on a grid over the eyes' box: float32 [2 eyes × closures, 2, rows, columns], pixels from the
 *  point shown to the photo's point. See `lidShifts`. */
export interface LidTable {
  box: PixelBox;
  columns: number;
  rows: number;
  data: Float32Array;
}

/** How far an eyeball moves at gazeX = 1 and at gazeY = 1, px. */
export interface GazeTravel {
  gazeX: Point;
  gazeY: Point;
}

/** Displacements of the layers behind the lips, float32 [inputs, 2, 2, 2]: x and y at the four corners of the interior
 *  box. */
export type CornerBasis = DisplacementBasis;

export interface RigLayers {
  boxes: RigBoxes;
  head: DisplacementBasis;
  gaze: GazeTravel;
  jaw: DisplacementBasis;
  light: SkinLight;
  lids: LidTable;
  upperTeeth: CornerBasis;
  lowerTeeth: CornerBasis;
  tongue: CornerBasis;
}

/** What the layers take from the picture. */
export interface LayerOptions extends SkinLook {
  /** How far the upper teeth rise as the lips close over them. Default 0. */
  teethLiftMm?: number;
}

/** All layers of a face. Pure; takes about half a second for a region of 384 pixels. */
export function createRigLayers(geometry: FaceGeometry, { teethLiftMm = 0, ...look }: LayerOptions = {}): RigLayers {
  const { regionPx } = geometry;
  const depth = createHeadDepth(geometry);
  const whole: PixelBox = { x: 0, y: 0, widthPx: regionPx, heightPx: regionPx };
  const head = gridOver(whole, HEAD_CELL_PX);
  const face = new FaceFrame(geometry);
  fillCells(head, (row, column) => {
    const x = head.xOf(column);
    const y = head.yOf(row);
    addLipDisplacements(head, "head", geometry, row, column);
    head.fade(row, column, mouthShareBelowGlasses(geometry, x, y));
    addUpperFace(head, geometry, row, column);
    addExpressions(head, geometry, face, row, column);
    addHeadMotion(head, geometry, row, column, { depthPx: depth.depthAt(x, y), follow: depth.followAt(x, y) });
    head.fade(row, column, edgeFade(regionPx, x, y));
  });
  const boxes = rigBoxes(geometry, head);
  const jaw = gridOver(boxes.mouth, JAW_CELL_PX);
  fillCells(jaw, (row, column) => {
    const x = jaw.xOf(column);
    const y = jaw.yOf(row);
    addLipDisplacements(jaw, "jaw", geometry, row, column);
    addHeadMotion(jaw, geometry, row, column, { depthPx: depth.depthAt(x, y), follow: depth.followAt(x, y) });
    jaw.fade(row, column, edgeFade(regionPx, x, y));
  });
  return {
    boxes,
    head,
    gaze: gazeTravel(geometry),
    jaw,
    light: createSkinLight(head, geometry, face, look),
    lids: lidTable(geometry, boxes.eyes),
    upperTeeth: interiorLayer(geometry, depth, boxes.interior, {
      close: -teethLiftMm,
      funnel: -2.5,
      pucker: -8,
      tongue: -2.2,
    }),
    lowerTeeth: interiorLayer(geometry, depth, boxes.interior, {
      jaw: 0.95 * JAW_DROP_MM,
      funnel: 1.5,
      pucker: 6,
      tongue: 8,
    }),
    tongue: interiorLayer(geometry, depth, boxes.interior, {
      jaw: 0.8 * JAW_DROP_MM,
      tongue: -7,
      pucker: 6,
      funnel: 3,
    }),
  };
}

function gridOver(box: PixelBox, cellPx: number): DisplacementBasis {
  return new DisplacementBasis(box, Math.round(box.widthPx / cellPx), Math.round(box.heightPx / cellPx));
}

function fillCells(basis: DisplacementBasis, fill: (row: number, column: number) => void): void {
  for (let row = 0; row < basis.rows; row++) {
    for (let column = 0; column < basis.columns; column++) fill(row, column);
  }
}

/** Teeth and tongue move as flat boards a little behind the lips: with the head, and by `dropMm` (per input, at 1)
 *  along the face. Rounded lips come forward and hide the teeth; a flat image shows this by moving the teeth back. A
 *  raised tongue covers the edges of both rows; this is shown by moving the rows apart. */
function interiorLayer(
  geometry: FaceGeometry,
  depth: HeadDepth,
  box: PixelBox,
  dropMm: Partial<Record<RigInputName, number>>,
): CornerBasis {
  const { frame } = geometry.mouth;
  // Cells centred on the corners of the box belong to a grid twice its size.
  const around = { x: box.x - box.widthPx / 2, y: box.y - box.heightPx / 2 };
  const corners = new DisplacementBasis({ ...around, widthPx: 2 * box.widthPx, heightPx: 2 * box.heightPx }, 2, 2);
  const depthPx = 0.9 * depth.depthAt(frame.centre.x, frame.centre.y);
  fillCells(corners, (row, column) => {
    addHeadMotion(corners, geometry, row, column, { depthPx, follow: 1 });
    for (const [input, mm] of Object.entries(dropMm)) {
      const dv = (mm * geometry.pixelsPerMm) / frame.unitPx;
      corners.add(input as RigInputName, row, column, frame.vectorX(0, dv), frame.vectorY(0, dv));
    }
  });
  return corners;
}

/** About ten degrees each way, in half eye widths. */
const GAZE_ACROSS = 0.17;
const GAZE_DOWN = 0.1;

function gazeTravel({ eyes }: FaceGeometry): GazeTravel {
  const mean = (of: (frame: LocalFrame) => number) => (of(eyes[0].frame) + of(eyes[1].frame)) / 2;
  return {
    gazeX: { x: mean((frame) => frame.vectorX(GAZE_ACROSS, 0)), y: mean((frame) => frame.vectorY(GAZE_ACROSS, 0)) },
    gazeY: { x: mean((frame) => frame.vectorX(0, GAZE_DOWN)), y: mean((frame) => frame.vectorY(0, GAZE_DOWN)) },
  };
}

function lidTable(geometry: FaceGeometry, box: PixelBox): LidTable {
  const { columns, rows } = gridOver(box, LID_CELL_PX);
  const plane = rows * columns;
  const closures = lidShifts({ parameterCount: FACE_PARAMETER_COUNT });
  const data = new Float32Array(2 * closures.length * 2 * plane);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = box.x + ((column + 0.5) * box.widthPx) / columns - 0.5;
      const y = box.y + ((row + 0.5) * box.heightPx) / rows - 0.5;
      geometry.eyes.forEach((eye, side) => {
        const u = eye.frame.u(x, y);
        const v = eye.frame.v(x, y);
        if (eyeOpening(eye, u) === 0) return;
        closures.forEach((closure, index) => {
          const shift = closure === RAISED_LID ? raisedLidShift(eye, u, v) : -lidShift(eye, u, v, closure);
          const at = (side * closures.length + index) * 2 * plane + row * columns + column;
          data[at] = eye.frame.vectorX(0, shift);
          data[at + plane] = eye.frame.vectorY(0, shift);
        });
      });
    }
  }
  return { box, columns, rows, data };
}
