// The parts of a region where more than one layer shows: eyes, mouth, and the opening of the mouth.
import type { FaceParameterName } from "../../shared/face-parameters.ts";
import type { PixelBox } from "../image/raster.ts";
import type { DisplacementBasis } from "./displacement-basis.ts";
import type { FaceGeometry } from "./face-geometry.ts";

/** Boxes in region pixels; position and size are multiples of 8, so that blocks and grid cells fit. The eyes' and the mouth's are disjoint. */
export interface RigBoxes {
  eyes: readonly [PixelBox, PixelBox];
  mouth: PixelBox;
  /** Around `mouth`: where the photo lies that moves into it. */
  mouthSource: PixelBox;
  /** Inside `mouth`: whatever can show between the lips. */
  interior: PixelBox;
}

const STEP_PX = 8;
const HEAD_PARAMETERS: readonly FaceParameterName[] = ["yaw", "pitch", "roll", "tx", "ty"];

interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Boxes with a margin for the motion of the head, which `head` measures. */
export function rigBoxes(geometry: FaceGeometry, head: DisplacementBasis): RigBoxes {
  const { regionPx, mouth } = geometry;
  const travel = HEAD_PARAMETERS.reduce((sum, parameter) => {
    const { x, y } = head.largest(parameter);
    return sum + Math.hypot(x, y);
  }, 0);
  // All at full strength at once does not happen: 60 % of the sum is what gestures reach.
  const margin = Math.min(0.6 * travel, 0.06 * regionPx);
  const eyes = geometry.eyes.map(({ frame, upper }) => {
    const highest = Math.min(0, ...[-0.9, -0.5, 0, 0.5, 0.9].map(upper));
    const side = 1.15 * frame.unitPx + margin;
    return {
      left: frame.centre.x - side,
      right: frame.centre.x + side,
      top: frame.centre.y - (1.1 - highest) * frame.unitPx - 0.6 * margin,
      bottom: frame.centre.y + 0.75 * frame.unitPx + 0.6 * margin,
    };
  });
  const middle = (geometry.eyes[0].frame.centre.x + geometry.eyes[1].frame.centre.x) / 2;
  eyes[0].right = Math.min(eyes[0].right, middle - STEP_PX / 2);
  eyes[1].left = Math.max(eyes[1].left, middle + STEP_PX / 2);
  const eyeBoxes = eyes.map((bounds) => snap(bounds, regionPx)) as [PixelBox, PixelBox];
  const seam = Math.floor(middle / STEP_PX) * STEP_PX;
  eyeBoxes[0].widthPx = Math.min(eyeBoxes[0].widthPx, seam - eyeBoxes[0].x);
  const eyesBottom = Math.max(...eyeBoxes.map((box) => box.y + box.heightPx));

  const { centre, unitPx } = mouth.frame;
  const mouthBox = snap(
    {
      left: centre.x - 1.12 * unitPx - margin,
      right: centre.x + 1.12 * unitPx + margin,
      top: Math.max(eyesBottom, centre.y - 0.7 * unitPx - margin),
      bottom: centre.y + (Math.min(mouth.chinV, 1.6) + 0.8) * unitPx,
    },
    regionPx,
  );
  const opening = snap(
    {
      left: centre.x - 1.1 * unitPx - 0.6 * margin,
      right: centre.x + 1.1 * unitPx + 0.6 * margin,
      top: centre.y - 0.45 * unitPx - 0.6 * margin,
      bottom: centre.y + (geometry.jawDrop + 0.55) * unitPx + 0.6 * margin,
    },
    regionPx,
  );
  const mouthSource = snap(
    {
      left: mouthBox.x - margin,
      right: mouthBox.x + mouthBox.widthPx + margin,
      top: mouthBox.y - margin - geometry.jawDrop * 0.5 * unitPx,
      bottom: mouthBox.y + mouthBox.heightPx + margin,
    },
    regionPx,
  );
  return { eyes: eyeBoxes, mouth: mouthBox, mouthSource, interior: intersect(mouthBox, opening) };
}

function snap(bounds: Bounds, regionPx: number): PixelBox {
  const low = (value: number) => Math.floor(Math.min(regionPx - STEP_PX, Math.max(0, value)) / STEP_PX) * STEP_PX;
  const high = (value: number) => Math.ceil(Math.min(regionPx, Math.max(STEP_PX, value)) / STEP_PX) * STEP_PX;
  const x = low(bounds.left);
  const y = low(bounds.top);
  return {
    x,
    y,
    widthPx: Math.max(STEP_PX, high(bounds.right) - x),
    heightPx: Math.max(STEP_PX, high(bounds.bottom) - y),
  };
}

function intersect(a: PixelBox, b: PixelBox): PixelBox {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    widthPx: Math.min(a.x + a.widthPx, b.x + b.widthPx) - x,
    heightPx: Math.min(a.y + a.heightPx, b.y + b.heightPx) - y,
  };
}
