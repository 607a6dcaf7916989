// The lines of a drawn face. Drawing and mesh points both come from here, so the marks of a portrait are exact.
import { linspace, type Point, sampleCurve } from "./curves.ts";

/** Side of the square image in px. */
export const CANVAS_PX = 768;

/** Middle of every face. */
export const CENTRE_X = CANVAS_PX / 2;

/** What makes one face differ from another. Lengths in px on the 768 px canvas. */
export interface FaceShape {
  /** Top of the forehead at the hairline. */
  topY: number;
  /** Forehead to chin. */
  height: number;
  halfWidth: number;
  /** 0 slender chin .. 1 square jaw. */
  jaw: number;
  eye: { y: number; spacing: number; halfWidth: number; open: number; tilt: number };
  /** Height of the middle of the brow above the eye's centre; `arch` lifts its middle, `tilt` lifts its outer end. */
  brow: { lift: number; thickness: number; arch: number; tilt: number };
  nose: { y: number; halfWidth: number };
  /** `smile`: how far the corners lie above the middle of the seam. */
  mouth: { y: number; halfWidth: number; upper: number; lower: number; smile: number };
}

/** A face that the characters vary. */
export const AVERAGE_FACE: FaceShape = {
  topY: 204,
  height: 348,
  halfWidth: 147,
  jaw: 0.4,
  eye: { y: 352, spacing: 69, halfWidth: 39, open: 20, tilt: 3 },
  brow: { lift: 60, thickness: 11, arch: 7, tilt: -3 },
  nose: { y: 446, halfWidth: 29 },
  mouth: { y: 488, halfWidth: 56, upper: 12, lower: 16, smile: 10 },
};

/** One eye; `side` is -1 for the one on the left of the image. Lines are functions of u = -1 (outer corner) .. 1
 *  (inner corner). */
export interface EyeLines {
  side: -1 | 1;
  centre: Point;
  iris: Point;
  irisRadius: number;
  at(u: number): number;
  upper(u: number): number;
  lower(u: number): number;
}

/** All lines of a face. Mouth lines are functions of u = -1 (left corner) .. 1 (right corner). */
export interface FaceGeometry {
  shape: FaceShape;
  /** From the top of the forehead along the right of the image to the chin, dense. */
  rightOutline: Point[];
  leftOutline: Point[];
  eyes: [EyeLines, EyeLines];
  /** Brow edges from the outer to the inner end. */
  brows: { side: -1 | 1; upper: Point[]; lower: Point[] }[];
  mouth: { x(u: number): number; seam(u: number): number; upper(u: number): number; lower(u: number): number };
}

/** The lines of a face of the given shape. Pure. */
export function faceGeometry(shape: FaceShape): FaceGeometry {
  const rightOutline = outline(shape);
  return {
    shape,
    rightOutline,
    leftOutline: rightOutline.map(([x, y]) => [2 * CENTRE_X - x, y] as const),
    eyes: [eyeLines(shape, -1), eyeLines(shape, 1)],
    brows: [brow(shape, -1), brow(shape, 1)],
    mouth: mouthLines(shape),
  };
}

/** The closed outline, clockwise from the top. */
export function closedOutline(geometry: FaceGeometry): Point[] {
  return [...geometry.rightOutline, ...geometry.leftOutline.slice(1, -1).reverse()];
}

function outline({ topY, height, halfWidth, jaw }: FaceShape): Point[] {
  const profile: Point[] = [
    [0, 0],
    [0.34, 0.012],
    [0.64, 0.055],
    [0.86, 0.15],
    [0.97, 0.28],
    [1, 0.42],
    [0.975, 0.56],
    [0.91 + 0.03 * jaw, 0.69],
    [0.75 + 0.09 * jaw, 0.815],
    [0.5 + 0.11 * jaw, 0.918],
    [0.26 + 0.1 * jaw, 0.979],
    [0.1, 0.998],
    [0, 1],
  ];
  return sampleCurve(profile.map(([u, v]) => [CENTRE_X + u * halfWidth, topY + v * height] as const));
}

function eyeLines({ eye }: FaceShape, side: -1 | 1): EyeLines {
  const centre: Point = [CENTRE_X + side * eye.spacing, eye.y];
  const corner = (u: number) => eye.y + eye.tilt * u;
  // The highest point of the upper lid lies slightly towards the nose, the lowest of the lower lid slightly outwards.
  const bow = (u: number, lean: number, power: number) =>
    Math.max(0, 1 - u * u) ** power * (1 + lean * u * (1 - u * u) * 2);
  return {
    side,
    centre,
    iris: [centre[0] - side * 0.5, eye.y - 2.5],
    irisRadius: eye.halfWidth * 0.51,
    at: (u) => centre[0] - side * u * eye.halfWidth,
    upper: (u) => corner(u) - eye.open * bow(u, 0.12, 0.72),
    lower: (u) => corner(u) + eye.open * 0.62 * bow(u, -0.12, 0.85),
  };
}

function brow({ brow: shape, eye }: FaceShape, side: -1 | 1): FaceGeometry["brows"][number] {
  const half = eye.halfWidth * 1.28;
  const middle = (u: number) =>
    eye.y - shape.lift + shape.tilt * u - shape.arch * (1 - (u + 0.3) ** 2) + (u < -0.5 ? 9 * (-0.5 - u) : 0);
  const thickness = (u: number) => shape.thickness * (0.16 + 0.84 * Math.min(1, (u + 1) / 1.1) ** 0.8);
  const x = (u: number) => CENTRE_X + side * (eye.spacing + 3) - side * u * half;
  const us = linspace(-1, 1, 9);
  return {
    side,
    upper: us.map((u) => [x(u), middle(u) - thickness(u) / 2] as const),
    lower: us.map((u) => [x(u), middle(u) + thickness(u) / 2] as const),
  };
}

function mouthLines({ mouth }: FaceShape): FaceGeometry["mouth"] {
  const bump = (u: number, width: number) => Math.exp(-((u / width) ** 2));
  const seam = (u: number) => mouth.y + mouth.smile * (1 - u * u) - 2.2 * (bump(u - 0.3, 0.2) + bump(u + 0.3, 0.2));
  const full = (u: number, power: number) => Math.max(0, 1 - Math.abs(u) ** 1.7) ** power;
  return {
    x: (u) => CENTRE_X + u * mouth.halfWidth,
    seam,
    // The cupid's bow: two peaks and a dip between them.
    upper: (u) =>
      seam(u) -
      mouth.upper * full(u, 0.85) * (0.8 - 0.22 * bump(u, 0.13) + 0.3 * (bump(u - 0.24, 0.2) + bump(u + 0.24, 0.2))),
    lower: (u) => seam(u) + mouth.lower * full(u, 0.75) * (0.9 + 0.1 * bump(u, 0.5)),
  };
}
