// Eyes and brows: the part of a portrait that people look at first.
import { mix, type SkinTones } from "./colour.ts";
import { linspace, type Point } from "./curves.ts";
import type { EyeLines, FaceGeometry } from "./face-geometry.ts";
import type { EyePaint } from "./portrait-style.ts";
import { seededRandom } from "./random.ts";
import { blurred, clip, element, ellipse, group, line, radialGradient, shape } from "./svg.ts";

/** Definitions that `paintEyes` refers to. */
export function eyeDefinitions(geometry: FaceGeometry, paint: EyePaint): string {
  const clips = geometry.eyes.map((eye) => clip(`eye${eye.side}`, contour(eye)));
  const iris = radialGradient("iris", [
    mix(paint.iris, "#ffe9c0", 0.38),
    mix(paint.iris, "#ffdca0", 0.18),
    paint.iris,
    mix(paint.iris, "#000000", 0.25),
    mix(paint.iris, "#05060a", 0.68),
  ]);
  return clips.join("") + iris;
}

/** Both eyes with lids, lashes and brows. */
export function paintEyes(geometry: FaceGeometry, skin: SkinTones, paint: EyePaint): string {
  return geometry.eyes.map((eye) => socket(eye, skin, paint) + eyeball(eye, paint) + lids(eye, skin, paint)).join("");
}

/** Brows as many short hairs over a soft base. */
export function paintBrows(geometry: FaceGeometry, paint: EyePaint): string {
  const random = seededRandom(7);
  return geometry.brows
    .map(({ side, upper, lower }) => {
      const base = shape([...upper, ...[...lower].reverse()], paint.brow, { opacity: 0.78, ...blurred(1) });
      const hairs: string[] = [];
      for (let index = 0; index < 46; index++) {
        const t = index / 45;
        const at = t * (upper.length - 1);
        const low = Math.min(upper.length - 2, Math.floor(at));
        const edge = (points: readonly Point[], axis: 0 | 1) =>
          (points[low] as Point)[axis] + ((points[low + 1] as Point)[axis] - (points[low] as Point)[axis]) * (at - low);
        const from: Point = [edge(lower, 0) + random() * 3, edge(lower, 1) - random() * 2];
        const reach = edge(lower, 1) - edge(upper, 1);
        const to: Point = [from[0] + side * (5 + 6 * (1 - t)), from[1] - reach * (0.5 + 0.25 * t)];
        hairs.push(line([from, to], mix(paint.brow, "#000000", random() * 0.3), 1.5, { opacity: 0.75 }));
      }
      return base + hairs.join("");
    })
    .join("");
}

function contour(eye: EyeLines): Point[] {
  const us = linspace(-1, 1, 15);
  return [
    ...us.map((u) => [eye.at(u), eye.upper(u)] as const),
    ...us
      .slice(1, -1)
      .reverse()
      .map((u) => [eye.at(u), eye.lower(u)] as const),
  ];
}

function upperLine(eye: EyeLines, from: number, to: number, lift: number): Point[] {
  return linspace(from, to, 13).map((u) => [eye.at(u), eye.upper(u) - lift] as const);
}

function socket(eye: EyeLines, skin: SkinTones, paint: EyePaint): string {
  const [x, y] = eye.centre;
  const half = Math.abs(eye.at(1) - eye.at(-1)) / 2;
  const shadow = ellipse([x - eye.side * 5, y - 11], half * 1.15, 20, skin.shade, { opacity: 0.4, ...blurred(8) });
  const lidTint = paint.lid
    ? shape([...upperLine(eye, -1.04, 1, 0), ...upperLine(eye, -0.98, 0.9, 11).reverse()], paint.lid, {
        opacity: 0.42,
        ...blurred(2),
      })
    : "";
  const under = ellipse([x, y + 22], half * 0.85, 6, skin.shade, { opacity: 0.28, ...blurred(4) });
  return shadow + under + lidTint;
}

function eyeball(eye: EyeLines, paint: EyePaint): string {
  const [x, y] = eye.iris;
  const r = eye.irisRadius;
  const random = seededRandom(11);
  const rays = Array.from({ length: 30 }, (_, index) => {
    const angle = (index / 30) * 2 * Math.PI + random() * 0.15;
    const at = (radius: number): Point => [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
    return line([at(r * 0.42), at(r * (0.7 + random() * 0.2))], mix(paint.iris, "#fff3d0", 0.5), 0.8, {
      opacity: 0.15 + random() * 0.3,
    });
  }).join("");
  const white = element("rect", { x: x - 60, y: y - 40, width: 120, height: 80, fill: "#f6f0ea" });
  const edges =
    ellipse([eye.at(-1), eye.centre[1]], 13, 12, "#d9bfae", { opacity: 0.55, ...blurred(4) }) +
    ellipse([eye.at(1), eye.centre[1] + 2], 12, 12, "#dcb8aa", { opacity: 0.65, ...blurred(4) });
  const caruncle = ellipse([eye.at(0.95), eye.centre[1] + eye.side * 0 + 3], 5, 3.4, "#d98d80", {
    opacity: 0.8,
    ...blurred(1),
  });
  const iris =
    ellipse([x, y], r, r, "url(#iris)") +
    rays +
    ellipse([x, y], r - 0.6, r - 0.6, "none", {
      stroke: mix(paint.iris, "#07060a", 0.75),
      "stroke-width": 1.6,
      opacity: 0.8,
    }) +
    ellipse([x, y + r * 0.5], r * 0.62, r * 0.34, mix(paint.iris, "#ffeec2", 0.6), { opacity: 0.42, ...blurred(2) }) +
    ellipse([x, y], r * 0.43, r * 0.43, "#08070a");
  const lidShadow = line(upperLine(eye, -1.05, 1.05, -2), "#3a2320", 9, { opacity: 0.42, ...blurred(2) });
  const sparkle =
    ellipse([x - r * 0.34, y - r * 0.36], r * 0.24, r * 0.27, "#ffffff", { opacity: 0.96 }) +
    ellipse([x + r * 0.38, y + r * 0.34], r * 0.11, r * 0.11, "#ffffff", { opacity: 0.6 });
  return group(white + edges + caruncle + iris + lidShadow + sparkle, { "clip-path": `url(#eye${eye.side})` });
}

function lids(eye: EyeLines, skin: SkinTones, paint: EyePaint): string {
  const us = linspace(-1.03, 0.98, 15);
  // The lash line is thickest at the outer third.
  const lash = shape(
    [
      ...us.map((u) => [eye.at(u), eye.upper(Math.max(-1, u)) + 0.8] as const),
      ...[...us]
        .reverse()
        .map((u) => [eye.at(u), eye.upper(Math.max(-1, u)) - paint.lashes * (1.1 - 0.75 * ((u + 1) / 2))] as const),
    ],
    paint.lashColour,
  );
  const wing: Point[] = [
    [eye.at(-0.9), eye.upper(-0.9) - 0.5],
    [eye.at(-1.06), eye.upper(-1) - 1.6],
    [eye.at(-1.13), eye.upper(-1) - 2 - paint.lashes * 0.6],
  ];
  const crease = linspace(-1, 0.92, 13).map((u): Point => {
    return [eye.at(u), eye.upper(u * 0.96) - paint.crease * (0.72 + 0.28 * (1 - u * u))];
  });
  const lower = linspace(-0.98, 0.9, 11).map((u) => [eye.at(u), eye.lower(u) + 0.6] as const);
  const waterline = linspace(-0.85, 0.85, 11).map((u) => [eye.at(u), eye.lower(u) - 1] as const);
  return (
    line(waterline, "#f3cfc3", 1.5, { opacity: 0.7 }) +
    line(lower, mix(skin.deep, skin.base, 0.25), 1.5, { opacity: 0.75 }) +
    line(crease, skin.deep, 1.7, { opacity: paint.crease > 5 ? 0.62 : 0.35 }) +
    lash +
    line(wing, paint.lashColour, Math.max(1.4, paint.lashes * 0.42))
  );
}
