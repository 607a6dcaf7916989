// A fox in a scarf: the animal of the gallery.
import { mix, skinTones } from "./colour.ts";
import { linspace, type Point } from "./curves.ts";
import { AVERAGE_FACE, CANVAS_PX, CENTRE_X, closedOutline, type FaceGeometry, faceGeometry } from "./face-geometry.ts";
import { eyeDefinitions, paintEyes } from "./paint-eyes.ts";
import { paintFur } from "./paint-fur.ts";
import { background, backgroundDefinition, type DrawnPortrait, svgDocument } from "./portrait.ts";
import type { EyePaint, PersonStyle } from "./portrait-style.ts";
import { seededRandom } from "./random.ts";
import { blurDefinitions, blurred, clip, ellipse, group, line, shape } from "./svg.ts";

const COAT = "#d9772f";
const CREAM = "#f7e6cd";
const DARK = "#3a221a";
const BACKGROUND: PersonStyle["background"] = ["#cfe3ee", "#7ea6bd"];
const EYES: EyePaint = { iris: "#c98a2c", brow: "#7a3c17", lashColour: "#20120d", lashes: 5, crease: 8 };

/** Draws the fox. The same program gives the same image. */
export function drawFox(): DrawnPortrait {
  const geometry = faceGeometry({
    ...AVERAGE_FACE,
    halfWidth: 160,
    jaw: 0.05,
    eye: { y: 348, spacing: 76, halfWidth: 41, open: 24, tilt: 6 },
    brow: { lift: 62, thickness: 12, arch: 6, tilt: 0 },
    nose: { y: 444, halfWidth: 30 },
    mouth: { y: 490, halfWidth: 58, upper: 9, lower: 12, smile: 13 },
  });
  const skin = skinTones(COAT);
  const content =
    background(BACKGROUND) +
    ears() +
    body() +
    head(geometry) +
    paintEyes(geometry, skin, EYES) +
    eyeSpots(geometry) +
    muzzle(geometry);
  const definitions =
    blurDefinitions(CANVAS_PX) +
    backgroundDefinition(BACKGROUND) +
    clip("head", headOutline(geometry)) +
    eyeDefinitions(geometry, EYES);
  return { svg: svgDocument(definitions, content), geometry, skin: CREAM };
}

function ears(): string {
  return [-1, 1]
    .map((side) => {
      const at = (dx: number, y: number): Point => [CENTRE_X + side * dx, y];
      const outer = [at(62, 190), at(112, 104), at(150, 74), at(172, 130), at(176, 240), at(140, 262)];
      const inner = [at(88, 196), at(122, 130), at(148, 106), at(158, 150), at(158, 236), at(130, 240)];
      const tip = [at(112, 104), at(134, 82), at(150, 74), at(162, 96), at(168, 122), at(140, 112)];
      return (
        shape(outer, COAT) +
        shape(tip, DARK, blurred(4)) +
        shape(inner, mix(CREAM, "#d98a76", 0.35), { opacity: 0.9, ...blurred(4) })
      );
    })
    .join("");
}

function body(): string {
  const shoulders: Point[] = [
    [90, 790],
    [128, 690],
    [230, 630],
    [300, 570],
    [468, 570],
    [538, 630],
    [640, 690],
    [678, 790],
  ];
  const scarf: Point[] = [
    [236, 542],
    [300, 518],
    [384, 526],
    [468, 518],
    [532, 542],
    [540, 592],
    [470, 636],
    [384, 648],
    [298, 636],
    [228, 592],
  ];
  const folds = [0, 1, 2].map((row) =>
    line(
      linspace(-1, 1, 9).map((u) => [CENTRE_X + u * 140, 584 + row * 22 - 26 * u * u] as const),
      "#173c45",
      7,
      { opacity: 0.35, ...blurred(4) },
    ),
  );
  return (
    shape(shoulders, mix(COAT, "#5a2c12", 0.25)) +
    ellipse([CENTRE_X, 760], 130, 110, CREAM, { opacity: 0.9, ...blurred(16) }) +
    shape(scarf, "#2f7f8c") +
    folds.join("") +
    ellipse([CENTRE_X, 556], 140, 22, "#0f2a30", { opacity: 0.45, ...blurred(8) })
  );
}

/** The face outline with tufts at the cheeks. */
function headOutline(geometry: FaceGeometry): Point[] {
  const outline = closedOutline(geometry);
  return outline.map(([x, y]) => {
    const v = (y - geometry.shape.topY) / geometry.shape.height;
    const tuft = Math.exp(-(((v - 0.66) / 0.16) ** 2));
    const crown = Math.max(0, 0.3 - v) * 90;
    return [x + Math.sign(x - CENTRE_X) * tuft * 36, y - crown] as const;
  });
}

function head(geometry: FaceGeometry): string {
  const { topY, height, halfWidth } = geometry.shape;
  const random = seededRandom(77);
  const isCream = ([x, y]: Point) => {
    const u = Math.abs(x - CENTRE_X) / halfWidth;
    const v = (y - topY) / height;
    return v > 0.92 - 0.34 * u || (v > 0.55 && u < 0.34) || (u > 0.24 && u < 0.72 && v > 0.29 && v < 0.34);
  };
  const cheeks = [-1, 1].map((side) => ellipse([CENTRE_X + side * 112, 505], 74, 66, CREAM, blurred(16))).join("");
  const fur = paintFur({
    count: 2600,
    lengthPx: 13,
    widthPx: 1.5,
    random,
    colourAt: (point) => (isCream(point) ? CREAM : COAT),
    directionAt: ([x, y]) => Math.atan2(y - 400 + 40, (x - CENTRE_X) * 1.2),
    pick: () => [CENTRE_X + (random() - 0.5) * 2.5 * halfWidth, topY - 30 + random() * (height + 40)],
  });
  const shading =
    ellipse([CENTRE_X + 168, 430], 44, 120, mix(COAT, "#3d1606", 0.6), { opacity: 0.5, ...blurred(16) }) +
    ellipse([CENTRE_X - 172, 430], 30, 110, mix(COAT, "#3d1606", 0.6), { opacity: 0.4, ...blurred(16) }) +
    ellipse([CENTRE_X - 20, 236], 80, 40, mix(COAT, "#ffe2b0", 0.6), { opacity: 0.5, ...blurred(16) });
  return (
    shape(headOutline(geometry), COAT) +
    group(cheeks + ellipse([CENTRE_X, 492], 88, 74, CREAM, blurred(8)) + shading + fur, { "clip-path": "url(#head)" })
  );
}

/** Light spots above the eyes, in the place of brows. */
function eyeSpots(geometry: FaceGeometry): string {
  return geometry.brows
    .map(({ upper, lower }) =>
      shape([...upper, ...[...lower].reverse()], mix(CREAM, COAT, 0.25), { opacity: 0.9, ...blurred(2) }),
    )
    .join("");
}

function muzzle(geometry: FaceGeometry): string {
  const { mouth, shape: face } = geometry;
  const { y } = face.nose;
  const nose: Point[] = [
    [CENTRE_X - 33, y - 22],
    [CENTRE_X, y - 28],
    [CENTRE_X + 33, y - 22],
    [CENTRE_X + 24, y - 4],
    [CENTRE_X, y + 6],
    [CENTRE_X - 24, y - 4],
  ];
  const us = linspace(-1, 1, 25);
  const seam = us.map((u) => [mouth.x(u), mouth.seam(u)] as const);
  const upper = us.map((u) => [mouth.x(u), mouth.upper(u)] as const);
  const lower = us.map((u) => [mouth.x(u), mouth.lower(u)] as const);
  const whiskers = [-1, 1].flatMap((side) =>
    [0, 1, 2].map((row) =>
      line(
        [
          [CENTRE_X + side * 74, 474 + row * 12],
          [CENTRE_X + side * 130, 466 + row * 17],
          [CENTRE_X + side * 186, 470 + row * 25],
        ],
        "#fffaf0",
        1.6,
        { opacity: 0.75 },
      ),
    ),
  );
  return (
    line(
      [
        [CENTRE_X, y + 4],
        [CENTRE_X, mouth.upper(0) - 1],
      ],
      DARK,
      3,
      { opacity: 0.7 },
    ) +
    ellipse([CENTRE_X, y + 10], 40, 8, mix(CREAM, DARK, 0.4), { opacity: 0.4, ...blurred(4) }) +
    shape(nose, "#241613") +
    ellipse([CENTRE_X - 9, y - 20], 12, 4.5, "#a58f88", { opacity: 0.8, ...blurred(2) }) +
    [-1, 1].map((side) => ellipse([CENTRE_X + side * 14, y - 8], 5, 3.4, "#0b0605")).join("") +
    shape([...upper, ...[...seam].reverse()], mix(CREAM, "#a8604e", 0.55)) +
    shape([...seam, ...[...lower].reverse()], mix(CREAM, "#b86a58", 0.6)) +
    line(seam.slice(1, -1), "#33160f", 2.8) +
    ellipse([CENTRE_X, mouth.lower(0) + 9], 34, 5, mix(CREAM, DARK, 0.5), { opacity: 0.4, ...blurred(4) }) +
    whiskers.join("")
  );
}
