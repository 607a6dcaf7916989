// Coordinates of the whole face, in eye distances.
import { centroid, LEFT_EYE, type Point, pointAt, pointsAt, RIGHT_EYE } from "../../portrait/face-points.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { LocalFrame } from "../measure/local-frame.ts";

/** A place on a face in eye distances: `across` from its midline, positive to the right in the image, and `down` from
 *  the line through the pupils. */
export interface FacePlace {
  across: number;
  down: number;
}

/** Sides of a face in the image. */
export const SIDES = [-1, 1] as const;
/** The rounded part of a cheek: below the middle of the eye and a little outside it, and not below the wings of the
 *  nose, whatever the proportions. */
const CHEEK_BELOW = 0.5;
const CHEEK_OUTSIDE = 0.06;
const ABOVE_WINGS = 0.92;
/** The wings of the nose, left and right in the image. */
const NOSE_WINGS = [129, 358] as const;

/** Where the parts of a face lie that expressions move. Pairs are left and right in the image. */
export class FaceFrame {
  readonly eyeDistancePx: number;
  /** Middles of the cheeks. */
  readonly cheeks: readonly [FacePlace, FacePlace];
  readonly noseWings: readonly [FacePlace, FacePlace];
  readonly mouthCorners: readonly [FacePlace, FacePlace];
  readonly browsInner: readonly [FacePlace, FacePlace];
  readonly browsOuter: readonly [FacePlace, FacePlace];
  readonly #frame: LocalFrame;

  /** Throws RangeError if the eyes coincide. */
  constructor({ points, mouth }: FaceGeometry) {
    const eyes = [LEFT_EYE, RIGHT_EYE].map(({ upper }) => centroid(pointsAt(points, upper)));
    this.#frame = new LocalFrame(eyes[0], eyes[1]);
    this.eyeDistancePx = 2 * this.#frame.unitPx;
    const places = (left: Point, right: Point) => [this.at(left.x, left.y), this.at(right.x, right.y)] as const;
    const meshPlaces = (left: number, right: number) => places(pointAt(points, left), pointAt(points, right));
    const corner = (u: number) => ({ x: mouth.frame.toX(u, 0), y: mouth.frame.toY(u, 0) });
    this.noseWings = meshPlaces(...NOSE_WINGS);
    const cheek = (side: 0 | 1) => ({
      across: SIDES[side] * (0.5 + CHEEK_OUTSIDE),
      down: Math.min(CHEEK_BELOW, ABOVE_WINGS * this.noseWings[side].down),
    });
    this.cheeks = [cheek(0), cheek(1)];
    this.mouthCorners = places(corner(-1), corner(1));
    this.browsInner = meshPlaces(LEFT_EYE.brow[4], RIGHT_EYE.brow[0]);
    this.browsOuter = meshPlaces(LEFT_EYE.brow[1], RIGHT_EYE.brow[3]);
  }

  /** The place of a pixel of the region. */
  at(x: number, y: number): FacePlace {
    return { across: this.#frame.u(x, y) / 2, down: this.#frame.v(x, y) / 2 };
  }

  /** A movement in eye distances as pixels of the region. */
  toPixels({ across, down }: FacePlace): { dx: number; dy: number } {
    return { dx: this.#frame.vectorX(2 * across, 2 * down), dy: this.#frame.vectorY(2 * across, 2 * down) };
  }
}

/** 1 at a place, falling to 0 around it; `across` and `down` are the distances at which 1/e is left. */
export function bellAround(place: FacePlace, centre: FacePlace, across: number, down: number): number {
  return Math.exp(-(((place.across - centre.across) / across) ** 2) - ((place.down - centre.down) / down) ** 2);
}
