// Hair that is tied up or under cloth.
import type { FacePoint, HairBrush } from "./hair-lock.ts";
import { along, bothSides, type HairLayers } from "./hair-outline.ts";

/** Hair tied up into a bun. */
export function bun(brush: HairBrush): HairLayers {
  const knot = bothSides([
    [0, -0.5],
    [0.26, -0.47],
    [0.38, -0.37],
    [0.3, -0.27],
    [0.1, -0.22],
  ]);
  const cap: FacePoint[] = [
    [-1.03, 0.34],
    [-1.12, 0.1],
    [-0.98, -0.12],
    [-0.5, -0.25],
    [0, -0.275],
    [0.5, -0.25],
    [0.98, -0.12],
    [1.12, 0.1],
    [1.03, 0.34],
    [0.97, 0.3],
    [0.94, 0.18],
    [0.74, 0.09],
    [0.36, 0.03],
    [0.02, 0.01],
    [-0.36, 0.03],
    [-0.74, 0.09],
    [-0.94, 0.18],
    [-0.97, 0.3],
  ];
  const wisp = (side: number): FacePoint[] => [
    [side * 0.93, 0.2],
    [side * 1.06, 0.28],
    [side * 1.08, 0.52],
    [side * 1.0, 0.72],
    [side * 1.02, 0.5],
    [side * 0.97, 0.32],
  ];
  return {
    back:
      brush.mass(
        knot,
        [
          along([-0.36, -0.38], [-0.2, -0.46], [0.1, -0.48], [0.34, -0.38]),
          along([-0.2, -0.24], [-0.1, -0.32], [0.12, -0.36], [0.34, -0.34]),
        ],
        60,
        -0.12,
      ) +
      brush.shine(
        [
          [-0.16, -0.43],
          [0.02, -0.45],
          [0.18, -0.42],
        ],
        10,
        0.4,
      ),
    shadow: brush.castShadow(cap),
    front:
      brush.mass(
        cap,
        [
          along([-1.0, 0.3], [-0.98, 0.06], [-0.6, -0.12], [-0.05, -0.26]),
          along([-0.6, 0.03], [-0.5, -0.06], [-0.3, -0.16], [-0.03, -0.26]),
          along([0, -0.03], [0, -0.1], [0, -0.18], [0, -0.26]),
          along([0.6, 0.03], [0.5, -0.06], [0.3, -0.16], [0.03, -0.26]),
          along([1.0, 0.3], [0.98, 0.06], [0.6, -0.12], [0.05, -0.26]),
        ],
        170,
      ) +
      [-1, 1]
        .map((side) =>
          brush.mass(
            wisp(side),
            [wisp(side).slice(0, 4), [...wisp(side).slice(3), ...wisp(side).slice(0, 1)].reverse()],
            14,
          ),
        )
        .join("") +
      brush.shine(
        [
          [-0.72, -0.03],
          [-0.4, -0.12],
          [0.1, -0.15],
          [0.6, -0.09],
        ],
        16,
        0.36,
      ),
  };
}

/** A headscarf around the face. */
export function headscarf(brush: HairBrush): HairLayers {
  const outer = bothSides([
    [0, -0.27],
    [0.55, -0.24],
    [1.02, -0.08],
    [1.25, 0.24],
    [1.3, 0.6],
    [1.24, 0.9],
    [1.36, 1.16],
    [1.1, 1.5],
  ]);
  const ring: FacePoint[] = [
    ...bothSides([
      [0, -0.29],
      [0.58, -0.25],
      [1.04, -0.08],
      [1.27, 0.26],
      [1.31, 0.62],
      [1.2, 0.92],
      [0.85, 1.14],
      [0.3, 1.24],
    ]),
  ];
  const opening = bothSides([
    [0, 0.02],
    [0.5, 0.055],
    [0.82, 0.17],
    [0.955, 0.36],
    [0.945, 0.56],
    [0.85, 0.73],
    [0.61, 0.885],
    [0.32, 0.975],
    [0.12, 1.002],
  ]);
  return scarf(brush, outer, ring, opening);
}

function scarf(brush: HairBrush, outer: FacePoint[], ring: FacePoint[], opening: FacePoint[]): HairLayers {
  const folds = [
    along([-1.2, 0.2], [-1.0, 0.9], [-0.3, 1.2], [0.8, 1.3]),
    along([-0.95, 0.5], [-0.8, 0.95], [0, 1.14], [1.1, 1.05]),
  ];
  return {
    back: brush.mass(
      outer,
      [along([-1.1, 0], [-1.25, 0.4], [-1.2, 0.9], [-1.2, 1.4]), along([1.1, 0], [1.25, 0.4], [1.2, 0.9], [1.2, 1.4])],
      30,
      -0.3,
    ),
    shadow: brush.ringShadow(opening),
    front: brush.ring(ring, opening, folds),
  };
}
