// Measures the boxes of a rig: eyes, mouth, and the opening of the mouth.
import type { FaceParameterName } from "../../../shared/face-parameters.ts";
import type { PixelBox } from "../../signal/image/raster.ts";
import type { RigBoxes } from "../rig-graph/rig-shape.ts";
import type { DisplacementBasis } from "./displacements/displacement-basis.ts";
import type { FaceGeometry } from "./measure/face-geometry.ts";

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
  // The motions never reach full strength together; gestures reach 60 % of the sum.
  const margin = Math.min(0.6 * travel, 0.06 * regionPx);
  const eyes = snap(aroundEyes(geometry, { side: 1.15, above: 1.1, below: 0.75, marginPx: margin }), regionPx);
  const eyesSource = snap(aroundEyes(geometry, { side: 1.45, above: 1.2, below: 0.6, marginPx: 0 }), regionPx);

  const { centre, unitPx } = mouth.frame;
  const mouthBox = snap(
    {
      left: centre.x - 1.12 * unitPx - margin,
      right: centre.x + 1.12 * unitPx + margin,
      top: Math.max(eyes.y + eyes.heightPx, centre.y - 0.7 * unitPx - margin),
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
  return { eyes, eyesSource, mouth: mouthBox, mouthSource, interior: intersect(mouthBox, opening) };
}

/** The lower margin of a usual eye ends this far above the room below it; a large one has as much room. */
const ROOM_UNDER_MARGIN = 0.12;

/** Both eyes with room around each: in half eye widths from its middle, its highest or its lowest point, and a margin,
 *  of which 60 % counts upright. */
function aroundEyes(
  geometry: FaceGeometry,
  room: { side: number; above: number; below: number; marginPx: number },
): Bounds {
  const bounds = geometry.eyes.map(({ frame, upper, lower }) => {
    const places = [-0.9, -0.5, 0, 0.5, 0.9];
    const highest = Math.min(0, ...places.map(upper));
    const below = Math.max(room.below, ROOM_UNDER_MARGIN + Math.max(...places.map(lower)));
    const side = room.side * frame.unitPx + room.marginPx;
    return {
      left: frame.centre.x - side,
      right: frame.centre.x + side,
      top: frame.centre.y - (room.above - highest) * frame.unitPx - 0.6 * room.marginPx,
      bottom: frame.centre.y + below * frame.unitPx + 0.6 * room.marginPx,
    };
  });
  return {
    left: Math.min(...bounds.map(({ left }) => left)),
    right: Math.max(...bounds.map(({ right }) => right)),
    top: Math.min(...bounds.map(({ top }) => top)),
    bottom: Math.max(...bounds.map(({ bottom }) => bottom)),
  };
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
