// Hair made of curls.
import type { FacePoint, HairBrush } from "./hair-lock.ts";
import { bothSides, type HairLayers, mirrored, SKULL } from "./hair-outline.ts";

/** A round cloud of tight curls. */
export function afro(brush: HairBrush): HairLayers {
  const base = underCurls(0.02);
  const inside = ([u, v]: FacePoint) =>
    (u / 1.52) ** 2 + ((v - 0.1) / 0.53) ** 2 < 1 && !(v > 0.42 && Math.abs(u) < 0.9);
  const hairline = ([u, v]: FacePoint) => v < 0.055 + 0.14 * u ** 4 && v > -0.14 && Math.abs(u) < 1.1 && inside([u, v]);
  return {
    back: brush.curls(inside, 330, 19),
    shadow: brush.castShadow(
      bothSides([
        [0, -0.2],
        [0.8, -0.16],
        [1.12, 0.1],
        [0.98, 0.2],
        [0.8, 0.08],
        [0.4, 0.03],
      ]),
    ),
    front:
      brush.mass(base, [mirrored(SKULL), SKULL], 0, -0.5) +
      brush.curls(([u, v]) => hairline([u, v]) || (v < -0.05 && inside([u, v])), 330, 17),
  };
}

/** Curls on top, short at the sides. */
export function curls(brush: HairBrush): HairLayers {
  const base = underCurls(0.02);
  const back = ([u, v]: FacePoint) => (u / 1.2) ** 2 + ((v - 0.02) / 0.36) ** 2 < 1;
  const front = ([u, v]: FacePoint) => v < 0.05 + 0.16 * u ** 4 - 0.02 * Math.sin(u * 5) && back([u, v]);
  return {
    back: brush.curls(back, 150, 22),
    shadow: brush.castShadow(
      bothSides([
        [0, -0.2],
        [0.8, -0.16],
        [1.1, 0.1],
        [0.96, 0.24],
        [0.8, 0.12],
        [0.4, 0.06],
      ]),
    ),
    front: brush.mass(base, [mirrored(SKULL), SKULL], 0, -0.5) + brush.curls(front, 190, 19),
  };
}

/** The scalp under curls, down to a hairline at height `hairline`. */
function underCurls(hairline: number): FacePoint[] {
  return bothSides([
    [0, -0.25],
    [0.5, -0.22],
    [0.9, -0.1],
    [1.06, 0.1],
    [0.98, 0.3],
    [0.94, 0.18],
    [0.74, hairline + 0.07],
    [0.36, hairline + 0.01],
    [0, hairline],
  ]);
}
