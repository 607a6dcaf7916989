// Clothes: shoulders and a collar.
import { mix } from "./colour.ts";
import type { Point } from "./curves.ts";
import { CANVAS_PX, CENTRE_X } from "./face-geometry.ts";
import type { OutfitStyle, PersonStyle } from "./portrait-style.ts";
import { blurred, clip, element, ellipse, group, line, shape, verticalGradient } from "./svg.ts";

/** Gradient of the cloth. */
export function outfitDefinitions({ colour }: PersonStyle["outfit"]): string {
  return (
    verticalGradient("cloth", [mix(colour, "#ffffff", 0.14), colour, mix(colour, "#0b0a18", 0.32)]) +
    clip("shoulders", shoulders(NECKLINES.crew))
  );
}

/** The clothes over neck and shoulders. */
export function paintOutfit({ style, colour, accent }: PersonStyle["outfit"]): string {
  const dark = mix(colour, "#0b0a18", 0.5);
  const outline = shoulders(NECKLINES[style]);
  const folds = [-1, 1]
    .map(
      (side) =>
        line([at(side * 200, 650), at(side * 176, 700), at(side * 190, 780)], dark, 12, {
          opacity: 0.34,
          ...blurred(8),
        }) +
        line([at(side * 130, 640), at(side * 110, 700), at(side * 60, 770)], dark, 10, {
          opacity: 0.22,
          ...blurred(8),
        }) +
        line([at(side * 90, 628), at(side * 170, 650), at(side * 238, 690)], mix(colour, "#ffffff", 0.5), 12, {
          opacity: side < 0 ? 0.34 : 0.18,
          ...blurred(8),
        }),
    )
    .join("");
  const neckShadow = ellipse(at(4, 606), 96, 24, dark, { opacity: 0.4, ...blurred(8) });
  return (
    shape(outline, "url(#cloth)") +
    group(folds + neckShadow, { "clip-path": "url(#shoulders)" }) +
    DETAILS[style](colour, accent)
  );
}

function at(dx: number, y: number): Point {
  return [CENTRE_X + dx, y];
}

/** Half of each neckline from the side of the neck to its middle. */
const NECKLINES: Record<OutfitStyle, Point[]> = {
  crew: [at(92, 612), at(66, 640), at(34, 656), at(0, 661)],
  "v-neck": [at(92, 610), at(62, 648), at(30, 690), at(0, 722)],
  shirt: [at(86, 602), at(56, 634), at(26, 662), at(0, 684)],
  suit: [at(84, 602), at(56, 632), at(28, 660), at(0, 690)],
  hoodie: [at(104, 600), at(80, 634), at(40, 654), at(0, 660)],
  turtleneck: [at(78, 560), at(52, 574), at(24, 580), at(0, 582)],
  cardigan: [at(92, 608), at(62, 650), at(32, 700), at(0, 744)],
};

function shoulders(neckline: Point[]): Point[] {
  const right: Point[] = [
    ...[...neckline].reverse(),
    at(150, 628),
    at(226, 648),
    at(292, 690),
    at(336, CANVAS_PX + 10),
  ];
  const left = right
    .slice(1)
    .reverse()
    .map(([x, y]) => [2 * CENTRE_X - x, y] as const);
  return [...left, ...right, at(0, CANVAS_PX + 60)];
}

const mirror = (points: Point[]): Point[] => points.map(([x, y]) => [2 * CENTRE_X - x, y] as const);

/** A piece of cloth and its mirror image. */
function pair(points: Point[], fill: string, edge: string): string {
  const straight = (side: Point[]) =>
    element("polygon", {
      points: side.map(([x, y]) => `${x} ${y}`).join(" "),
      fill,
      stroke: edge,
      "stroke-width": 2,
      "stroke-linejoin": "round",
    });
  return straight(points) + straight(mirror(points));
}

function collarLine(neckline: Point[], colour: string, widthPx: number): string {
  return line([...neckline, ...mirror(neckline).reverse().slice(1)], colour, widthPx);
}

const DETAILS: Record<OutfitStyle, (colour: string, accent: string) => string> = {
  crew: (colour) =>
    collarLine(NECKLINES.crew, mix(colour, "#0b0a18", 0.26), 15) +
    collarLine(NECKLINES.crew, mix(colour, "#ffffff", 0.12), 9),
  "v-neck": (colour, accent) =>
    collarLine(NECKLINES["v-neck"], mix(colour, "#0b0a18", 0.3), 11) +
    line([at(-70, 610), at(-44, 648), at(0, 674), at(44, 648), at(70, 610)], accent, 2.4) +
    ellipse(at(0, 677), 5, 6, accent),
  shirt: (colour) =>
    pair(
      [at(82, 590), at(0, 684), at(46, 716), at(112, 622)],
      mix(colour, "#ffffff", 0.16),
      mix(colour, "#0b0a18", 0.34),
    ) +
    line([at(2, 690), at(3, 790)], mix(colour, "#0b0a18", 0.4), 2.4) +
    ellipse(at(-7, 724), 4.4, 4.4, mix(colour, "#ffffff", 0.6), {
      stroke: mix(colour, "#0b0a18", 0.4),
      "stroke-width": 1,
    }),
  suit: (colour, accent) =>
    shape(
      [at(-84, 600), at(-46, 640), at(0, 690), at(46, 640), at(84, 600), at(96, 700), at(0, 800), at(-96, 700)],
      "#f2eee9",
    ) +
    pair([at(80, 592), at(0, 680), at(38, 708), at(104, 622)], "#fbf8f4", "#cfc6bd") +
    element("polygon", {
      points: [at(-17, 684), at(17, 684), at(12, 712), at(24, 800), at(-24, 800), at(-12, 712)]
        .map((p) => p.join(" "))
        .join(" "),
      fill: accent,
    }) +
    line([at(-12, 712), at(12, 712)], mix(accent, "#000000", 0.4), 2) +
    pair(
      [at(100, 606), at(118, 612), at(150, 676), at(102, 700), at(110, 714), at(36, 800), at(250, 800), at(150, 640)],
      mix(colour, "#ffffff", 0.05),
      mix(colour, "#000000", 0.4),
    ),
  hoodie: (colour, accent) =>
    shape(
      [
        at(-118, 606),
        at(-96, 580),
        at(-78, 606),
        at(-40, 650),
        at(0, 662),
        at(40, 650),
        at(78, 606),
        at(96, 580),
        at(118, 606),
        at(90, 668),
        at(0, 704),
        at(-90, 668),
      ],
      mix(colour, "#0b0a18", 0.2),
    ) +
    line(
      [at(-100, 592), at(-76, 634), at(-36, 664), at(0, 672), at(36, 664), at(76, 634), at(100, 592)],
      mix(colour, "#ffffff", 0.16),
      9,
      { opacity: 0.8 },
    ) +
    line([at(-34, 680), at(-38, 712), at(-35, 758)], accent, 5) +
    line([at(36, 680), at(40, 712), at(38, 748)], accent, 5),
  turtleneck: (colour) =>
    shape(
      [
        at(-80, 566),
        at(-50, 582),
        at(0, 588),
        at(50, 582),
        at(80, 566),
        at(88, 620),
        at(60, 650),
        at(0, 660),
        at(-60, 650),
        at(-88, 620),
      ],
      mix(colour, "#ffffff", 0.08),
    ) +
    line([at(-84, 606), at(-50, 624), at(0, 630), at(50, 624), at(84, 606)], mix(colour, "#0b0a18", 0.4), 4, {
      opacity: 0.5,
      ...blurred(2),
    }) +
    line([at(-78, 568), at(-50, 583), at(0, 589), at(50, 583), at(78, 568)], mix(colour, "#ffffff", 0.26), 4, {
      opacity: 0.8,
    }),
  cardigan: (colour, accent) =>
    shape(
      [at(-96, 606), at(-62, 630), at(0, 652), at(62, 630), at(96, 606), at(70, 720), at(0, 790), at(-70, 720)],
      accent,
    ) +
    line([at(-70, 624), at(-36, 644), at(0, 652), at(36, 644), at(70, 624)], mix(accent, "#1a1020", 0.25), 4, {
      opacity: 0.6,
    }) +
    collarLine([at(96, 602), at(70, 660), at(36, 714), at(6, 770)], mix(colour, "#0b0a18", 0.24), 16) +
    collarLine([at(96, 602), at(70, 660), at(36, 714), at(6, 770)], mix(colour, "#ffffff", 0.1), 9),
};
