// Hair that falls past the ears.
import type { FacePoint, HairBrush } from "./hair-lock.ts";
import { along, bothSides, type HairLayers, mirrored, SKULL } from "./hair-outline.ts";

/** Long hair with a side part, ending at height `end`; `wave` is the swing of its edge. */
export function flowing(brush: HairBrush, end: number, wave: number): HairLayers {
  const swing = (v: number) => wave * Math.sin(v * 11);
  const side = (sign: number): FacePoint[] =>
    [0.12, 0.3, 0.48, 0.66, 0.84, 1, 1.16, 1.3, 1.42]
      .filter((v) => v <= end)
      .map((v) => [sign * (1.2 + 0.12 * Math.min(1, v) + swing(v)), v] as const);
  const back: FacePoint[] = [
    [0.1, -0.28],
    [0.6, -0.24],
    [1.04, -0.06],
    ...side(1),
    [0.9, end + 0.06],
    [0, end - 0.06],
    [-0.9, end + 0.06],
    ...side(-1).reverse(),
    [-1.04, -0.06],
    [-0.5, -0.25],
  ];
  const front = (sign: number, part: number): FacePoint[] => [
    [part, -0.275],
    [sign * 0.55, -0.255],
    [sign * 1.0, -0.1],
    ...side(sign),
    [sign * 1.02, end - 0.04],
    [sign * (0.99 + swing(0.9) * 0.6), 0.82],
    [sign * (1.0 + swing(0.6) * 0.6), 0.6],
    [sign * 0.985, 0.42],
    [sign * 0.92, 0.24],
    [sign * 0.72, 0.1],
    [sign * 0.4 + part * 0.3, 0.0],
    [part, -0.1],
  ];
  const guides = (sign: number, part: number) => {
    const inner: FacePoint[] = [
      [part, -0.12],
      [sign * 0.6, 0.05],
      [sign * 0.95, 0.28],
      [sign * (1.0 + swing(0.5)), 0.5],
      [sign * (1.02 + swing(0.75)), 0.75],
      [sign * (1.04 + swing(end)), end],
    ];
    const outer: FacePoint[] = [
      [part, -0.27],
      [sign * 0.85, -0.16],
      [sign * 1.2, 0.12],
      [sign * (1.25 + swing(0.5)), 0.5],
      [sign * (1.3 + swing(0.75)), 0.75],
      [sign * (1.3 + swing(end)), end],
    ];
    return [inner, outer];
  };
  const part = 0.22;
  return {
    back: brush.mass(back, [...guides(-1, part).reverse(), ...guides(1, part)], 170, -0.34),
    shadow: brush.castShadow(front(1, part)) + brush.castShadow(front(-1, part)),
    front:
      brush.mass(front(1, part), guides(1, part), 120) +
      brush.mass(front(-1, part), guides(-1, part), 140) +
      brush.shine(
        [
          [-0.3, -0.16],
          [-0.72, -0.06],
          [-1.0, 0.12],
        ],
        20,
        0.36,
      ) +
      brush.shine(
        [
          [0.5, -0.15],
          [0.82, -0.04],
          [1.04, 0.12],
        ],
        16,
        0.32,
      ),
  };
}

/** Chin-length hair with a side part. */
export function bob(brush: HairBrush): HairLayers {
  const back = bothSides([
    [0, -0.27],
    [0.6, -0.23],
    [1.08, -0.02],
    [1.26, 0.3],
    [1.3, 0.62],
    [1.2, 0.86],
    [0.9, 0.94],
  ]);
  const right: FacePoint[] = [
    [-0.3, -0.27],
    [0.3, -0.285],
    [0.85, -0.17],
    [1.18, 0.1],
    [1.29, 0.46],
    [1.27, 0.74],
    [1.12, 0.9],
    [0.93, 0.86],
    [1.0, 0.66],
    [0.98, 0.44],
    [0.92, 0.24],
    [0.66, 0.1],
    [0.15, 0.01],
    [-0.34, -0.1],
  ];
  const left: FacePoint[] = [
    [-0.26, -0.27],
    [-0.75, -0.2],
    [-1.12, 0.02],
    [-1.27, 0.36],
    [-1.28, 0.7],
    [-1.14, 0.9],
    [-0.94, 0.86],
    [-1.01, 0.6],
    [-0.98, 0.36],
    [-0.86, 0.18],
    [-0.6, 0.05],
    [-0.38, -0.08],
  ];
  return {
    back: brush.mass(back, [mirrored(SKULL), SKULL], 60, -0.35),
    shadow: brush.castShadow(right) + brush.castShadow(left),
    front:
      brush.mass(
        right,
        [
          along([-0.3, -0.2], [0.5, 0.02], [0.95, 0.3], [1.0, 0.86]),
          along([-0.2, -0.27], [0.8, -0.18], [1.26, 0.3], [1.14, 0.9]),
        ],
        120,
      ) +
      brush.mass(
        left,
        [
          along([-0.34, -0.12], [-0.7, 0.06], [-0.97, 0.36], [-0.98, 0.86]),
          along([-0.3, -0.26], [-0.9, -0.14], [-1.25, 0.36], [-1.12, 0.9]),
        ],
        110,
      ) +
      brush.shine(
        [
          [0.25, -0.16],
          [0.75, -0.04],
          [1.04, 0.16],
        ],
        20,
        0.4,
      ) +
      brush.shine(
        [
          [-0.55, -0.12],
          [-0.88, 0.02],
          [-1.08, 0.2],
        ],
        16,
        0.34,
      ),
  };
}
