// Whether a portrait's skin has light and shade at all: on a flat drawing, a soft shadow looks like dirt.
import { cropPlane, type RgbImage, toPlane } from "../../../signal/image/raster.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { luma } from "./rgb.ts";

/** Side of a patch of skin, in half mouth widths, and the range of brightness in one that counts as no shading and as
 *  full shading, as a share of its brightness: a photographed cheek has 0.04 to 0.3, flat paint nothing. */
const PATCH = 0.5;
const NO_SHADING = 0.008;
const FULL_SHADING = 0.03;
/** Where skin is looked at, in half mouth widths beside the mouth's middle and in heights of the base of the nose. */
const PLACES = [-1.5, -1.1, 1.1, 1.5].flatMap((u) => [1.1, 0.6, 0].map((up) => ({ u, up })));

/** How much light and shade of expressions suits the skin, 0 (flat paint) .. 1. */
export function skinShading(region: RgbImage, { mouth }: FaceGeometry): number {
  const { frame, noseV } = mouth;
  const sidePx = Math.max(4, Math.round(PATCH * frame.unitPx));
  const plane = toPlane(region);
  const ranges = PLACES.map(({ u, up }) => {
    const within = (at: number, size: number) => Math.round(Math.min(size - sidePx, Math.max(0, at - sidePx / 2)));
    const x = within(frame.toX(u, up * noseV), region.widthPx);
    const y = within(frame.toY(u, up * noseV), region.heightPx);
    const { data } = cropPlane(plane, { x, y, widthPx: sidePx, heightPx: sidePx });
    const values = Array.from({ length: data.length / 3 }, (_, at) =>
      luma([data[3 * at], data[3 * at + 1], data[3 * at + 2]]),
    ).sort((a, b) => a - b);
    const share = (of: number) => values[Math.floor(of * (values.length - 1))];
    return (share(0.9) - share(0.1)) / Math.max(1, share(0.5));
  });
  // Outlines and painted blushes lie in some of the patches, so the plainest quarter decides.
  const [, , , plain] = ranges.sort((a, b) => a - b);
  return Math.min(1, Math.max(0, (plain - NO_SHADING) / (FULL_SHADING - NO_SHADING)));
}
