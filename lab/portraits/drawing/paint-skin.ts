// Skin of a drawn head: neck, ears, face with its shading and nose.
import { mix, type SkinTones } from "./colour.ts";
import { linspace, type Point } from "./curves.ts";
import { CENTRE_X, closedOutline, type FaceGeometry } from "./face-geometry.ts";
import type { PersonStyle } from "./portrait-style.ts";
import { seededRandom } from "./random.ts";
import { type Attributes, blurred, clip, element, ellipse, group, line, radialGradient, shape } from "./svg.ts";

/** Definitions that the painters below refer to. */
export function skinDefinitions(geometry: FaceGeometry, skin: SkinTones): string {
  return (
    clip("face", closedOutline(geometry)) +
    element("clipPath", { id: "head" }, scalp(geometry, "#000000", {}) + shape(closedOutline(geometry), "#000000")) +
    clip("neck", neckOutline(geometry)) +
    radialGradient("skin", [mix(skin.base, skin.light, 0.42), skin.base, skin.base, mix(skin.base, skin.shade, 0.5)], {
      cx: 0.44,
      cy: 0.4,
      r: 0.68,
    })
  );
}

/** Neck with the shadow of the head on it. */
export function paintNeck(geometry: FaceGeometry, skin: SkinTones): string {
  const chinY = geometry.shape.topY + geometry.shape.height;
  const tone = mix(skin.base, skin.shade, 0.4);
  const shadow =
    ellipse([CENTRE_X + 6, chinY - 8], geometry.shape.halfWidth * 0.9, 66, skin.deep, {
      opacity: 0.5,
      ...blurred(16),
    }) +
    ellipse([CENTRE_X, chinY + 4], geometry.shape.halfWidth * 0.5, 22, skin.deep, { opacity: 0.38, ...blurred(8) });
  const collarbones = [-1, 1]
    .map((side) =>
      line(
        [
          [CENTRE_X + side * 16, chinY + 128],
          [CENTRE_X + side * 60, chinY + 112],
          [CENTRE_X + side * 120, chinY + 106],
        ],
        skin.deep,
        5,
        { opacity: 0.26, ...blurred(4) },
      ),
    )
    .join("");
  const muscles = [-1, 1]
    .map((side) =>
      line(
        [
          [CENTRE_X + side * 62, chinY + 10],
          [CENTRE_X + side * 40, chinY + 70],
          [CENTRE_X + side * 12, chinY + 122],
        ],
        skin.shade,
        9,
        { opacity: 0.4, ...blurred(8) },
      ),
    )
    .join("");
  return shape(neckOutline(geometry), tone) + group(muscles + collarbones + shadow, { "clip-path": "url(#neck)" });
}

/** Both ears. */
export function paintEars(geometry: FaceGeometry, skin: SkinTones, earrings?: string): string {
  const { topY, height, halfWidth } = geometry.shape;
  const y = (v: number) => topY + v * height;
  return [-1, 1]
    .map((side) => {
      const x = (u: number) => CENTRE_X + side * u * halfWidth;
      const ear: Point[] = [
        [x(0.96), y(0.42)],
        [x(1.05), y(0.385)],
        [x(1.115), y(0.42)],
        [x(1.11), y(0.5)],
        [x(1.075), y(0.575)],
        [x(1.035), y(0.635)],
        [x(0.97), y(0.63)],
      ];
      const inner: Point[] = [
        [x(1.085), y(0.44)],
        [x(1.04), y(0.425)],
        [x(1.01), y(0.47)],
        [x(1.035), y(0.53)],
        [x(1.01), y(0.58)],
      ];
      const jewel = earrings
        ? ellipse([x(1.03), y(0.652)], 6, 6, earrings) +
          ellipse([x(1.03) - 2, y(0.652) - 2], 2, 2, "#ffffff", { opacity: 0.8 })
        : "";
      return (
        shape(ear, mix(skin.base, skin.shade, side > 0 ? 0.5 : 0.28)) +
        line(inner, skin.deep, 4, { opacity: 0.42, ...blurred(2) }) +
        jewel
      );
    })
    .join("");
}

/** The face without eyes, brows and mouth. */
export function paintFace(geometry: FaceGeometry, skin: SkinTones, style: PersonStyle): string {
  const { topY, height, halfWidth } = geometry.shape;
  const y = (v: number) => topY + v * height;
  const x = (u: number) => CENTRE_X + u * halfWidth;
  const soft = (u: number, v: number, ru: number, rv: number, fill: string, opacity: number, radius: 4 | 8 | 16 | 30) =>
    ellipse([x(u), y(v)], ru * halfWidth, rv * height, fill, { opacity, ...blurred(radius) });
  const modelling =
    soft(1.02, 0.62, 0.3, 0.36, skin.shade, 0.62, 16) +
    soft(-1.05, 0.64, 0.2, 0.32, skin.shade, 0.5, 16) +
    soft(0.66, 0.72, 0.16, 0.13, skin.shade, 0.26, 16) +
    soft(-0.68, 0.72, 0.13, 0.12, skin.shade, 0.2, 16) +
    soft(0, 1.02, 0.5, 0.05, skin.shade, 0.5, 8) +
    soft(-0.1, 0.14, 0.5, 0.1, skin.light, 0.42, 30) +
    soft(-0.56, 0.575, 0.2, 0.055, skin.light, 0.42, 16) +
    soft(0.5, 0.575, 0.16, 0.05, skin.light, 0.3, 16) +
    soft(-0.02, 0.925, 0.15, 0.035, skin.light, 0.34, 8) +
    soft(-0.57, 0.645, 0.24, 0.075, skin.blush, style.blush, 16) +
    soft(0.57, 0.645, 0.24, 0.075, skin.blush, style.blush, 16);
  return (
    scalp(geometry, skin.base, blurred(4)) +
    shape(closedOutline(geometry), "url(#skin)") +
    group(modelling + ageLines(geometry, skin, style.lines ?? 0) + (style.freckles ? freckles(geometry, skin) : ""), {
      "clip-path": "url(#face)",
    }) +
    nose(geometry, skin)
  );
}

/** The skull under the hair: shows where hair is parted or short. */
function scalp({ shape: { topY, height, halfWidth } }: FaceGeometry, fill: string, more: Attributes): string {
  return ellipse([CENTRE_X, topY + 0.26 * height], halfWidth, 0.47 * height, fill, more);
}

function neckOutline(geometry: FaceGeometry): Point[] {
  const { topY, height, halfWidth, jaw } = geometry.shape;
  const chinY = topY + height;
  const half = halfWidth * (0.42 + 0.14 * jaw);
  const right: Point[] = [
    [half, chinY - 90],
    [half * 0.98, chinY + 20],
    [half * 1.06, chinY + 62],
    [half * 1.5, chinY + 92],
    [half * 1.9, chinY + 130],
    [half * 1.9, chinY + 260],
  ];
  return [
    ...right.map(([x, y]) => [CENTRE_X + x, y] as const),
    ...[...right].reverse().map(([x, y]) => [CENTRE_X - x, y] as const),
  ];
}

function nose(geometry: FaceGeometry, skin: SkinTones): string {
  const { y, halfWidth: half } = geometry.shape.nose;
  const eyeY = geometry.shape.eye.y;
  const bridge = line(
    [
      [CENTRE_X - 3, eyeY + 2],
      [CENTRE_X - 4, (eyeY + y) / 2],
      [CENTRE_X - 3, y - 26],
    ],
    skin.light,
    9,
    { opacity: 0.5, ...blurred(4) },
  );
  const side = line(
    [
      [CENTRE_X + 19, eyeY - 12],
      [CENTRE_X + 13, eyeY + 22],
      [CENTRE_X + 15, y - 38],
      [CENTRE_X + half * 0.92, y - 16],
    ],
    skin.shade,
    9,
    { opacity: 0.5, ...blurred(4) },
  );
  const otherSide = line(
    [
      [CENTRE_X - 20, eyeY - 12],
      [CENTRE_X - 15, eyeY + 16],
      [CENTRE_X - 17, y - 36],
    ],
    skin.shade,
    7,
    { opacity: 0.28, ...blurred(4) },
  );
  const wings = [-1, 1]
    .map((s) =>
      line(
        [
          [CENTRE_X + s * half * 0.78, y - 21],
          [CENTRE_X + s * half * 1.02, y - 10],
          [CENTRE_X + s * half * 0.9, y + 1],
          [CENTRE_X + s * half * 0.62, y + 2],
        ],
        skin.deep,
        2.4,
        { opacity: 0.5, ...blurred(1) },
      ),
    )
    .join("");
  const nostrils = [-1, 1]
    .map((s) =>
      ellipse([CENTRE_X + s * half * 0.48, y + 1], half * 0.24, 3.3, mix(skin.deep, "#1a0605", 0.5), {
        opacity: 0.82,
        transform: `rotate(${s * -14} ${(CENTRE_X + s * half * 0.48).toFixed(1)} ${y})`,
        ...blurred(1),
      }),
    )
    .join("");
  const base = line(
    [
      [CENTRE_X - half * 0.35, y + 4],
      [CENTRE_X, y + 8],
      [CENTRE_X + half * 0.35, y + 4],
    ],
    skin.deep,
    4,
    { opacity: 0.4, ...blurred(2) },
  );
  const under = ellipse([CENTRE_X + 3, y + 9], half * 0.9, 6, skin.shade, { opacity: 0.5, ...blurred(4) });
  const tip =
    ellipse([CENTRE_X + 1, y - 8], half * 0.72, 15, skin.blush, { opacity: 0.16, ...blurred(4) }) +
    ellipse([CENTRE_X - 4, y - 13], 7, 6, skin.light, { opacity: 0.75, ...blurred(4) });
  return otherSide + side + bridge + under + tip + base + wings + nostrils;
}

function ageLines(geometry: FaceGeometry, skin: SkinTones, strength: number): string {
  if (strength === 0) return "";
  const { nose: noseShape, mouth, eye } = geometry.shape;
  const soft = (points: Point[], width: number, opacity: number) =>
    line(points, skin.deep, width, { opacity: opacity * strength, ...blurred(2) });
  const sides = [-1, 1].map((s) => {
    const outer = CENTRE_X + s * (eye.spacing + eye.halfWidth);
    return (
      soft(
        [
          [CENTRE_X + s * (noseShape.halfWidth + 6), noseShape.y - 8],
          [CENTRE_X + s * (mouth.halfWidth + 5), (noseShape.y + mouth.y) / 2],
          [CENTRE_X + s * (mouth.halfWidth + 13), mouth.y + 4],
        ],
        3.4,
        0.5,
      ) +
      [-1, 0, 1]
        .map((row) =>
          soft(
            [
              [outer + s * 9, eye.y + row * 6],
              [outer + s * 24, eye.y + row * 13 - 2],
            ],
            1.6,
            0.42,
          ),
        )
        .join("") +
      soft(
        [
          [CENTRE_X + s * (eye.spacing - 24), eye.y + 25],
          [CENTRE_X + s * eye.spacing, eye.y + 33],
          [CENTRE_X + s * (eye.spacing + 26), eye.y + 25],
        ],
        2.2,
        0.36,
      )
    );
  });
  const forehead = [0, 1].map((row) =>
    soft(
      linspace(-1, 1, 7).map((u) => [CENTRE_X + u * 62, eye.y - 100 - row * 20 + 6 * u * u - 2] as const),
      1.8,
      0.28,
    ),
  );
  return sides.join("") + forehead.join("");
}

function freckles(geometry: FaceGeometry, skin: SkinTones): string {
  const random = seededRandom(23);
  const { nose: noseShape } = geometry.shape;
  return Array.from({ length: 70 }, () => {
    const u = (random() - 0.5) * 2;
    const x = CENTRE_X + u * 100;
    const y = noseShape.y - 34 + (random() - 0.5) * 62 + Math.abs(u) * 8;
    return ellipse([x, y], 1 + random() * 1.1, 1 + random(), mix(skin.shade, "#8a3c1c", 0.4), {
      opacity: 0.25 + random() * 0.35,
    });
  }).join("");
}
