// Measures what a face allows its gestures.

import type { RgbImage } from "../../../signal/image/raster.ts";
import { median } from "../../../signal/math/statistics.ts";
import type { GestureFace } from "../../gestures/gesture-face.ts";
import { type FaceOval, pointAt } from "../../portrait/face-points.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { LocalFrame } from "./local-frame.ts";
import { sampleLuma } from "./sample-luma.ts";

/** Outer corners of the eyes, and the tip of the nose. */
const OUTER_CORNERS = [33, 263] as const;
const NOSE_TIP = 1;
/** Distance of the tip of the nose from the middle between the eyes in a profile, in half their distance. A face that
 *  is turned by 40°, as in many paintings, has 0.4. */
const PROFILE_U = 0.65;
/** A face that is turned less than this looks straight ahead. */
const STRAIGHT = 0.06;
/** Widest and highest face for which a region has space for full head motion, as shares of its side; and the share of
 *  that motion in a face that fills it. */
const WIDE_SHARE = 0.66;
const FULL_SHARE = 0.9;
const LEAST_ROOM = 0.5;
/** Places between nose and lip, in half mouth widths across and as shares of the height. */
const LIP_COLUMNS = [-0.45, -0.3, -0.15, 0.15, 0.3, 0.45];
const LIP_ROWS = [0.35, 0.5, 0.65, 0.8];
/** Skin between nose and lip that is darker than this share of the cheeks carries a moustache; from the second on it
 *  is thick. */
const BARE_LUMA = 0.72;
const THICK_LUMA = 0.45;
const MOUTH_UNDER_HAIR = 0.6;
const CHEEK_U = 1.2;

/** The face of a region; its pixels tell a moustache from bare skin. */
export function gestureFaceOf(geometry: FaceGeometry, region: RgbImage): GestureFace {
  const turn = turnOf(geometry);
  const turned = Math.min(1, Math.max(0, Math.abs(turn) - STRAIGHT) / (PROFILE_U - STRAIGHT));
  const [left, right] = geometry.eyes;
  const canWink = left.lidTravel > 0 && right.lidTravel > 0;
  return {
    turned: rounded(turned),
    room: rounded(roomOf(geometry.oval, geometry.regionPx)),
    // The nose of a turned face points away from the nearer eye.
    winks: !canWink ? "none" : turn > STRAIGHT ? "left" : "right",
    brows: rounded(Math.min(left.browShare, right.browShare)),
    mouth: rounded(mouthOf(geometry, region)),
  };
}

/** How far the tip of the nose is from the middle between the eyes, along them; positive to the right. */
function turnOf({ points }: FaceGeometry): number {
  const eyes = new LocalFrame(pointAt(points, OUTER_CORNERS[0]), pointAt(points, OUTER_CORNERS[1]));
  const { x, y } = pointAt(points, NOSE_TIP);
  return eyes.u(x, y);
}

function roomOf({ widthPx, heightPx }: FaceOval, regionPx: number): number {
  const share = Math.max(widthPx, heightPx) / regionPx;
  const filled = Math.min(1, Math.max(0, (share - WIDE_SHARE) / (FULL_SHARE - WIDE_SHARE)));
  return 1 - (1 - LEAST_ROOM) * filled;
}

function mouthOf({ mouth, points }: FaceGeometry, region: RgbImage): number {
  const { frame, noseV, outerUpper } = mouth;
  const lumaAt = (u: number, v: number) => sampleLuma(region, frame.toX(u, v), frame.toY(u, v));
  const lip = LIP_COLUMNS.flatMap((u) => LIP_ROWS.map((share) => lumaAt(u, noseV + share * (outerUpper(u) - noseV))));
  const cheeks = [-CHEEK_U, CHEEK_U].map((u) => lumaAt(u, noseV));
  const bare = pointAt(points, NOSE_TIP);
  // A cheek may be bearded or in shadow; the nose is not.
  const skin = Math.max(...cheeks, 0.8 * sampleLuma(region, bare.x, bare.y));
  const share = median(lip) / Math.max(1, skin);
  const thickness = Math.min(1, Math.max(0, (BARE_LUMA - share) / (BARE_LUMA - THICK_LUMA)));
  return 1 - (1 - MOUTH_UNDER_HAIR) * thickness;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
