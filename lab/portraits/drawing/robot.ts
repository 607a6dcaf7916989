// A friendly robot with soft lips: the machine of the gallery.
import { mix, skinTones } from "./colour.ts";
import { linspace, type Point } from "./curves.ts";
import {
  AVERAGE_FACE,
  CANVAS_PX,
  CENTRE_X,
  closedOutline,
  type EyeLines,
  type FaceGeometry,
  faceGeometry,
} from "./face-geometry.ts";
import { background, backgroundDefinition, type DrawnPortrait, svgDocument } from "./portrait.ts";
import type { PersonStyle } from "./portrait-style.ts";
import {
  blurDefinitions,
  blurred,
  clip,
  element,
  ellipse,
  group,
  line,
  radialGradient,
  shape,
  verticalGradient,
} from "./svg.ts";

const SHELL = "#dfe6ee";
const STEEL = "#8494a8";
const INK = "#1b2433";
const GLOW = "#39d0e6";
const ACCENT = "#ff8b5e";
const BACKGROUND: PersonStyle["background"] = ["#b8c7e8", "#4c5b94"];

/** Draws the robot. The same program gives the same image. */
export function drawRobot(): DrawnPortrait {
  const geometry = faceGeometry({
    ...AVERAGE_FACE,
    halfWidth: 150,
    jaw: 0.9,
    eye: { y: 350, spacing: 72, halfWidth: 42, open: 26, tilt: 0 },
    brow: { lift: 66, thickness: 10, arch: 5, tilt: 0 },
    nose: { y: 440, halfWidth: 18 },
    mouth: { y: 488, halfWidth: 58, upper: 10, lower: 13, smile: 10 },
  });
  const content =
    background(BACKGROUND) +
    body() +
    skull() +
    face(geometry) +
    geometry.eyes.map(eye).join("") +
    brows(geometry) +
    mouth(geometry);
  const definitions =
    blurDefinitions(CANVAS_PX) +
    backgroundDefinition(BACKGROUND) +
    verticalGradient("shell", ["#ffffff", SHELL, mix(SHELL, STEEL, 0.75)]) +
    verticalGradient("steel", [mix(STEEL, "#ffffff", 0.4), STEEL, mix(STEEL, INK, 0.5)]) +
    radialGradient("plate", ["#ffffff", mix(SHELL, "#ffffff", 0.4), SHELL, mix(SHELL, STEEL, 0.5)], {
      cx: 0.42,
      cy: 0.36,
      r: 0.75,
    }) +
    radialGradient("glow", ["#f2ffff", "#9af1fb", GLOW, mix(GLOW, "#0b4a78", 0.6)]) +
    clip("face", closedOutline(geometry)) +
    geometry.eyes.map((one) => clip(`eye${one.side}`, contour(one))).join("");
  return { svg: svgDocument(definitions, content), geometry, skin: skinTones(SHELL).base };
}

function at(dx: number, y: number): Point {
  return [CENTRE_X + dx, y];
}

function body(): string {
  const rings = linspace(0, 1, 5).map((t) =>
    element("rect", { x: CENTRE_X - 64, y: 540 + t * 84, width: 128, height: 15, rx: 7.5, fill: "url(#steel)" }),
  );
  const chest: Point[] = [
    at(-330, 800),
    at(-300, 700),
    at(-220, 652),
    at(-120, 634),
    at(0, 628),
    at(120, 634),
    at(220, 652),
    at(300, 700),
    at(330, 800),
  ];
  return (
    element("rect", { x: CENTRE_X - 52, y: 520, width: 104, height: 130, fill: INK }) +
    rings.join("") +
    shape(chest, "url(#shell)") +
    line([at(-104, 642), at(-70, 690), at(70, 690), at(104, 642)], STEEL, 4, { opacity: 0.7 }) +
    ellipse(at(0, 734), 22, 22, INK) +
    ellipse(at(0, 734), 15, 15, "url(#glow)") +
    ellipse(at(0, 734), 30, 30, GLOW, { opacity: 0.35, ...blurred(8) }) +
    ellipse(at(0, 628), 120, 18, INK, { opacity: 0.4, ...blurred(8) })
  );
}

function skull(): string {
  const shell: Point[] = [
    at(0, 128),
    at(96, 138),
    at(164, 184),
    at(186, 270),
    at(186, 400),
    at(170, 500),
    at(110, 570),
    at(0, 584),
    at(-110, 570),
    at(-170, 500),
    at(-186, 400),
    at(-186, 270),
    at(-164, 184),
    at(-96, 138),
  ];
  const ears = [-1, 1].map(
    (side) =>
      ellipse(at(side * 186, 366), 26, 54, "url(#steel)") +
      ellipse(at(side * 192, 366), 15, 38, ACCENT) +
      ellipse(at(side * 192 - 3, 352), 5, 14, "#ffffff", { opacity: 0.5, ...blurred(2) }),
  );
  const antenna =
    line([at(0, 132), at(0, 98)], STEEL, 7) +
    ellipse(at(0, 92), 13, 13, ACCENT) +
    ellipse(at(-4, 88), 4, 4, "#ffffff", { opacity: 0.8 });
  return (
    antenna +
    ears.join("") +
    shape(shell, "url(#shell)") +
    line([at(-120, 176), at(-40, 148), at(40, 148), at(110, 172)], "#ffffff", 14, { opacity: 0.7, ...blurred(8) })
  );
}

function face(geometry: FaceGeometry): string {
  const { nose } = geometry.shape;
  const shading =
    ellipse(at(150, 430), 40, 130, STEEL, { opacity: 0.5, ...blurred(16) }) +
    ellipse(at(-152, 440), 26, 120, STEEL, { opacity: 0.4, ...blurred(16) }) +
    ellipse(at(0, 558), 90, 16, STEEL, { opacity: 0.5, ...blurred(8) }) +
    [-1, 1].map((side) => ellipse(at(side * 96, 448), 30, 18, ACCENT, { opacity: 0.34, ...blurred(8) })).join("");
  return (
    shape(closedOutline(geometry), "url(#plate)", { stroke: STEEL, "stroke-width": 3 }) +
    group(shading, { "clip-path": "url(#face)" }) +
    shape(
      [
        at(-12, nose.y - 20),
        at(0, nose.y - 40),
        at(12, nose.y - 20),
        at(15, nose.y - 2),
        at(0, nose.y + 5),
        at(-15, nose.y - 2),
      ],
      mix(SHELL, STEEL, 0.35),
    ) +
    ellipse(at(-3, nose.y - 18), 4, 8, "#ffffff", { opacity: 0.85, ...blurred(2) }) +
    ellipse(at(0, nose.y + 9), 20, 5, STEEL, { opacity: 0.5, ...blurred(4) })
  );
}

function contour(one: EyeLines): Point[] {
  const us = linspace(-1, 1, 15);
  return [
    ...us.map((u) => [one.at(u), one.upper(u)] as const),
    ...us
      .slice(1, -1)
      .reverse()
      .map((u) => [one.at(u), one.lower(u)] as const),
  ];
}

function eye(one: EyeLines): string {
  const [x, y] = one.iris;
  const r = one.irisRadius;
  const rim = shape(contour(one), "none", {
    stroke: mix(STEEL, INK, 0.5),
    "stroke-width": 5,
    "stroke-linejoin": "round",
  });
  const inside =
    element("rect", { x: x - 70, y: y - 50, width: 140, height: 100, fill: "#0d1626" }) +
    ellipse([x, y], r * 1.5, r * 1.5, GLOW, { opacity: 0.4, ...blurred(8) }) +
    ellipse([x, y], r, r, "url(#glow)") +
    ellipse([x, y], r * 0.42, r * 0.42, "#052033") +
    ellipse([x - r * 0.34, y - r * 0.36], r * 0.24, r * 0.24, "#ffffff");
  return rim + group(inside, { "clip-path": `url(#eye${one.side})` });
}

function brows(geometry: FaceGeometry): string {
  return geometry.brows
    .map(({ upper, lower }) => shape([...upper, ...[...lower].reverse()], mix(STEEL, INK, 0.35)))
    .join("");
}

/** Lips of grey rubber. */
function mouth({ mouth: lines }: FaceGeometry): string {
  const us = linspace(-1, 1, 25);
  const seam = us.map((u) => [lines.x(u), lines.seam(u)] as const);
  const upper = us.map((u) => [lines.x(u), lines.upper(u)] as const);
  const lower = us.map((u) => [lines.x(u), lines.lower(u)] as const);
  return (
    ellipse(at(0, lines.lower(0) + 8), 34, 5, STEEL, { opacity: 0.6, ...blurred(4) }) +
    shape([...seam, ...[...lower].reverse()], mix(STEEL, "#c98d8d", 0.35)) +
    shape([...upper, ...[...seam].reverse()], mix(mix(STEEL, "#c98d8d", 0.3), INK, 0.22)) +
    line(seam.slice(1, -1), INK, 2.6) +
    ellipse(at(-5, lines.seam(0) + 7), 20, 2.4, "#ffffff", { opacity: 0.6, ...blurred(2) })
  );
}
