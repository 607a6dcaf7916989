// Depth of each point of the head, for turning a flat image.

import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type Plane } from "../../../signal/image/raster.ts";
import { interpolateScattered } from "../../../signal/math/scattered-interpolation.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { median } from "../../../signal/math/statistics.ts";
import { MESH_POINT_COUNT } from "../../portrait/mesh-points.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";

/** Side of a block with one value, px; the maps are smooth. */
const BLOCK_PX = 4;
/** Share of the face mesh's relief that is added to the dome; with more, noses wobble. */
const RELIEF_SHARE = 0.35;
/** Exponent of the dome: 0.5 gives an ellipsoid; its steep rim would tear blocks of pixels apart when the head
 *  turns. */
const DOME_STEEPNESS = 0.65;

export interface HeadDepth {
  /** Pixels towards the viewer at (x, y) of the region; 0 far from the head. */
  depthAt(x: number, y: number): number;
  /** Share of the head's tilt and shift that moves a point, 0..1; the neck follows partly. */
  followAt(x: number, y: number): number;
}

/** A dome over head and hair, plus the relief of the face mesh. The proportions come from the face oval. It ends at the
 *  hairline, so the skull is taken to extend above it by 35 % of half the oval's height. */
export function createHeadDepth(geometry: FaceGeometry): HeadDepth {
  const { oval, regionPx, points } = geometry;
  const halfWidth = oval.widthPx / 2;
  const halfHeight = oval.heightPx / 2;
  const crown = oval.centre.y - halfHeight * 1.35;
  const skull = {
    x: oval.centre.x,
    y: (crown + oval.bottomPx) / 2,
    radiusX: halfWidth * 1.28,
    radiusY: ((oval.bottomPx - crown) / 2) * 1.1,
  };
  const distance = (x: number, y: number) => Math.hypot((x - skull.x) / skull.radiusX, (y - skull.y) / skull.radiusY);

  const size = Math.ceil(regionPx / BLOCK_PX);
  const centreOf = (cell: number) => (cell + 0.5) * BLOCK_PX - 0.5;
  const cellOf = (pixel: number) => (pixel + 0.5) / BLOCK_PX - 0.5;
  const mesh = { points: new Float64Array(2 * MESH_POINT_COUNT), values: new Float64Array(MESH_POINT_COUNT) };
  for (let point = 0; point < MESH_POINT_COUNT; point++) {
    mesh.points[2 * point] = cellOf(points[3 * point]);
    mesh.points[2 * point + 1] = cellOf(points[3 * point + 1]);
    mesh.values[point] = -points[3 * point + 2];
  }
  const relief = interpolateScattered({ ...mesh, widthPx: size, heightPx: size });
  const dome = createPlane(size, size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const reach = Math.max(0, 1 - distance(centreOf(column), centreOf(row)) ** 2);
      dome.data[row * size + column] = reach ** DOME_STEEPNESS * halfWidth * 1.1;
    }
  }
  const above = relief.data.map((value, index) => value - dome.data[index]);
  const base = median(above);
  const detail = gaussianBlur(
    createPlane(
      size,
      size,
      1,
      above.map((value) => (Number.isNaN(value) ? 0 : value - base)),
    ),
    6 / BLOCK_PX,
  );
  const depth = gaussianBlur(
    createPlane(
      size,
      size,
      1,
      dome.data.map((value, index) => value + RELIEF_SHARE * detail.data[index]),
    ),
    8 / BLOCK_PX,
  );
  return {
    depthAt: (x, y) => bilinear(depth, cellOf(x), cellOf(y)),
    followAt: (x, y) =>
      (1 - smoothstep((distance(x, y) - 1) / 0.55)) * (1 - 0.6 * smoothstep((y - oval.bottomPx) / (1.6 * halfHeight))),
  };
}

function bilinear(plane: Plane, x: number, y: number): number {
  const left = Math.min(plane.widthPx - 2, Math.max(0, Math.floor(x)));
  const top = Math.min(plane.heightPx - 2, Math.max(0, Math.floor(y)));
  const fx = Math.min(1, Math.max(0, x - left));
  const fy = Math.min(1, Math.max(0, y - top));
  const at = top * plane.widthPx + left;
  const { data, widthPx } = plane;
  return (
    (data[at] * (1 - fx) + data[at + 1] * fx) * (1 - fy) +
    (data[at + widthPx] * (1 - fx) + data[at + widthPx + 1] * fx) * fy
  );
}
