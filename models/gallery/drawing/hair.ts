// Hair styles: what lies behind the head and what falls in front of it.
import type { FaceGeometry } from "./face-geometry.ts";
import { type FacePoint, HairBrush } from "./hair-lock.ts";
import type { HairStyle, PersonStyle } from "./portrait-style.ts";
import { seededRandom } from "./random.ts";

/** Layers of one head of hair: behind neck and head, shadow on the face, over the face. SVG text. */
export interface HairLayers {
  back: string;
  shadow: string;
  front: string;
}

/** Draws a head of hair. The same style gives the same picture. */
export function paintHair(geometry: FaceGeometry, hair: PersonStyle["hair"]): HairLayers {
  const brush = new HairBrush(geometry, hair.colour, seededRandom(hair.seed), "hair");
  return STYLES[hair.style](brush);
}

const mirrored = (points: readonly FacePoint[]): FacePoint[] => points.map(([u, v]) => [-u, v] as const);

/** A right half (top to bottom) as a closed outline of both sides. Points on the middle line count once: twice would make a kink. */
const bothSides = (right: readonly FacePoint[]): FacePoint[] => [
  ...right,
  ...mirrored(right.filter(([u]) => u !== 0)).reverse(),
];

/** Outline of hair lying on the skull down to the ears. */
const SKULL: FacePoint[] = [
  [0, -0.27],
  [0.45, -0.245],
  [0.85, -0.14],
  [1.1, 0.05],
  [1.1, 0.2],
  [1.0, 0.34],
  [0.7, 0.36],
];

const STYLES: Record<HairStyle, (brush: HairBrush) => HairLayers> = {
  "long-waves": (brush) => flowing(brush, 1.42, 0.07),
  lob: (brush) => flowing(brush, 1.12, 0.05),
  bob(brush) {
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
  },
  crop(brush) {
    const top: FacePoint[] = [
      [-1.06, 0.3],
      [-1.13, 0.08],
      [-0.98, -0.14],
      [-0.55, -0.27],
      [0.05, -0.31],
      [0.6, -0.27],
      [1.0, -0.13],
      [1.13, 0.08],
      [1.06, 0.3],
      [0.98, 0.36],
      [0.95, 0.2],
      [0.84, 0.1],
      [0.5, 0.035],
      [0.1, 0.015],
      [-0.4, 0.035],
      [-0.82, 0.1],
      [-0.95, 0.2],
      [-0.98, 0.36],
    ];
    return {
      back: brush.mass(bothSides(SKULL), [mirrored(SKULL), SKULL], 40, -0.35),
      shadow: brush.castShadow(top),
      front:
        brush.mass(
          top,
          [
            along([-0.7, -0.2], [-0.9, -0.06], [-1.02, 0.12], [-1.0, 0.34]),
            along([-0.35, -0.28], [-0.5, -0.16], [-0.6, -0.04], [-0.62, 0.06]),
            along([0.35, -0.29], [0.2, -0.18], [0.05, -0.06], [-0.05, 0.02]),
            along([0.75, -0.22], [0.7, -0.12], [0.62, -0.02], [0.52, 0.04]),
            along([0.85, -0.16], [1.0, -0.02], [1.06, 0.14], [1.0, 0.34]),
          ],
          170,
        ) +
        brush.shine(
          [
            [-0.5, -0.17],
            [0, -0.2],
            [0.5, -0.18],
          ],
          22,
          0.32,
        ),
    };
  },
  fringe(brush) {
    const top: FacePoint[] = [
      [-1.0, 0.36],
      [-1.1, 0.12],
      [-1.07, -0.08],
      [-0.9, -0.19],
      [-0.72, -0.3],
      [-0.5, -0.27],
      [-0.28, -0.35],
      [-0.05, -0.31],
      [0.22, -0.36],
      [0.42, -0.29],
      [0.7, -0.29],
      [0.86, -0.18],
      [1.06, -0.08],
      [1.11, 0.12],
      [1.0, 0.36],
      [0.96, 0.24],
      [0.9, 0.12],
      [0.72, 0.07],
      [0.52, 0.02],
      [0.42, 0.06],
      [0.3, 0.1],
      [0.2, 0.05],
      [0.02, 0.12],
      [-0.12, 0.07],
      [-0.36, 0.15],
      [-0.5, 0.1],
      [-0.74, 0.18],
      [-0.84, 0.14],
      [-0.95, 0.28],
    ];
    return {
      back: brush.mass(bothSides(SKULL), [mirrored(SKULL), SKULL], 40, -0.35),
      shadow: brush.castShadow(top),
      front:
        brush.mass(
          top,
          [
            along([0.1, -0.33], [-0.7, -0.26], [-1.05, -0.02], [-1.0, 0.34]),
            along([0.3, -0.3], [-0.2, -0.2], [-0.62, 0.0], [-0.76, 0.18]),
            along([0.4, -0.28], [0.1, -0.18], [-0.2, 0.0], [-0.36, 0.15]),
            along([0.5, -0.26], [0.42, -0.16], [0.3, -0.02], [0.24, 0.1]),
            along([0.55, -0.28], [0.62, -0.16], [0.62, -0.04], [0.56, 0.04]),
            along([0.6, -0.28], [0.85, -0.16], [1.06, 0.02], [1.0, 0.34]),
          ],
          190,
        ) +
        brush.shine(
          [
            [-0.75, -0.06],
            [-0.3, -0.13],
            [0.15, -0.14],
            [0.7, -0.08],
          ],
          16,
          0.4,
        ),
    };
  },
  quiff(brush) {
    const sides: FacePoint[] = [
      [-1.02, 0.36],
      [-1.07, 0.1],
      [-0.98, -0.08],
      [-0.5, -0.2],
      [0.5, -0.2],
      [0.98, -0.08],
      [1.07, 0.1],
      [1.02, 0.36],
      [0.95, 0.22],
      [0.8, 0.07],
      [0, 0.0],
      [-0.8, 0.07],
      [-0.95, 0.22],
    ];
    const top: FacePoint[] = [
      [-0.86, 0.06],
      [-0.98, -0.1],
      [-0.86, -0.27],
      [-0.4, -0.37],
      [0.2, -0.38],
      [0.75, -0.3],
      [1.02, -0.12],
      [0.9, 0.07],
      [0.6, 0.0],
      [0.25, 0.035],
      [-0.15, 0.0],
      [-0.55, 0.04],
    ];
    return {
      back: brush.mass(bothSides(SKULL), [mirrored(SKULL), SKULL], 30, -0.5),
      shadow: brush.castShadow(top),
      front:
        brush.mass(
          sides,
          [
            along([-0.85, -0.1], [-1, 0.05], [-1.04, 0.16], [-1.0, 0.34]),
            along([0.85, -0.1], [1, 0.05], [1.04, 0.16], [1.0, 0.34]),
          ],
          70,
          -0.4,
        ) +
        brush.mass(
          top,
          [
            along([-0.8, 0.04], [-0.9, -0.12], [-0.66, -0.28], [-0.2, -0.34]),
            along([-0.3, 0.01], [-0.4, -0.14], [-0.1, -0.28], [0.4, -0.33]),
            along([0.25, 0.02], [0.12, -0.12], [0.4, -0.24], [0.8, -0.24]),
            along([0.85, 0.06], [0.7, -0.04], [0.85, -0.12], [1.0, -0.08]),
          ],
          150,
        ) +
        brush.shine(
          [
            [-0.62, -0.14],
            [-0.3, -0.22],
            [0.15, -0.24],
            [0.6, -0.18],
          ],
          18,
          0.42,
        ),
    };
  },
  bun(brush) {
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
  },
  afro(brush) {
    const base = underCurls(0.02);
    const inside = ([u, v]: FacePoint) =>
      (u / 1.52) ** 2 + ((v - 0.1) / 0.53) ** 2 < 1 && !(v > 0.42 && Math.abs(u) < 0.9);
    const hairline = ([u, v]: FacePoint) =>
      v < 0.055 + 0.14 * u ** 4 && v > -0.14 && Math.abs(u) < 1.1 && inside([u, v]);
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
  },
  curls(brush) {
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
  },
  shaved(brush) {
    const cap = bothSides([
      [0, -0.235],
      [0.5, -0.21],
      [0.9, -0.08],
      [1.04, 0.1],
      [1.02, 0.36],
      [0.97, 0.3],
      [0.93, 0.17],
      [0.78, 0.1],
      [0.4, 0.05],
      [0, 0.04],
    ]);
    return {
      back: "",
      shadow: "",
      front:
        brush.mass(
          cap,
          [
            along([-0.9, 0.1], [-0.6, -0.06], [-0.3, -0.16], [0, -0.22]),
            along([0.9, 0.1], [0.6, -0.06], [0.3, -0.16], [0, -0.22]),
          ],
          30,
        ) +
        brush.shine(
          [
            [-0.55, -0.1],
            [-0.2, -0.16],
            [0.3, -0.16],
          ],
          22,
          0.3,
        ),
    };
  },
  headscarf(brush) {
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
  },
};

/** Long hair with a side part, ending at height `end`; `wave` is the swing of its edge. */
function flowing(brush: HairBrush, end: number, wave: number): HairLayers {
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

/** A guide line through face points. */
function along(...points: FacePoint[]): FacePoint[] {
  return points;
}
