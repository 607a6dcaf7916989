// The mouth of a drawn face: two lips and the seam that the rig cuts along.
import { mix, type SkinTones } from "./colour.ts";
import { linspace } from "./curves.ts";
import { CENTRE_X, type FaceGeometry } from "./face-geometry.ts";
import { blurred, ellipse, line, shape } from "./svg.ts";

/** Lips with their seam. */
export function paintMouth(geometry: FaceGeometry, skin: SkinTones, lips: string): string {
  const { mouth } = geometry;
  const us = linspace(-1, 1, 25);
  const seam = us.map((u) => [mouth.x(u), mouth.seam(u)] as const);
  const upper = us.map((u) => [mouth.x(u), mouth.upper(u)] as const);
  const lower = us.map((u) => [mouth.x(u), mouth.lower(u)] as const);
  const low = geometry.shape.mouth;
  const under = ellipse([CENTRE_X, mouth.lower(0) + 9], low.halfWidth * 0.5, 5.5, skin.deep, {
    opacity: 0.34,
    ...blurred(4),
  });
  const corners = [-1, 1]
    .map((u) => ellipse([mouth.x(u * 1.03), mouth.seam(u)], 5, 4, skin.deep, { opacity: 0.42, ...blurred(2) }))
    .join("");
  const philtrum = [-1, 1]
    .map((side) =>
      line(
        [
          [CENTRE_X + side * 5, geometry.shape.nose.y + 9],
          [CENTRE_X + side * 8, mouth.upper(0) - 4],
        ],
        skin.shade,
        3.4,
        { opacity: 0.36, ...blurred(2) },
      ),
    )
    .join("");
  const gleam =
    ellipse(
      [CENTRE_X - 5, mouth.seam(0) + low.lower * 0.52],
      low.halfWidth * 0.36,
      low.lower * 0.17,
      mix(lips, "#ffffff", 0.6),
      {
        opacity: 0.55,
        ...blurred(2),
      },
    ) +
    line(
      linspace(-0.3, 0.3, 9).map((u) => [mouth.x(u), mouth.upper(u) - 1.2] as const),
      skin.light,
      1.8,
      { opacity: 0.5, ...blurred(1) },
    );
  return (
    under +
    philtrum +
    corners +
    shape([...seam, ...[...lower].reverse()], lips) +
    shape([...upper, ...[...seam].reverse()], mix(lips, skin.deep, 0.3)) +
    line(lower.slice(5, -5), mix(lips, skin.deep, 0.5), 1.6, { opacity: 0.4, ...blurred(1) }) +
    line(seam.slice(1, -1), mix(lips, "#1c0507", 0.72), 2.3) +
    line(seam.slice(6, -6), mix(lips, "#1c0507", 0.6), 3.4, { opacity: 0.35, ...blurred(1) }) +
    gleam
  );
}
