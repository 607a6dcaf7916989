// Beards: a shade for stubble, hairs for a short beard. Lips stay free.
import { mix } from "./colour.ts";
import { linspace, type Point } from "./curves.ts";
import { CENTRE_X, type FaceGeometry } from "./face-geometry.ts";
import type { PersonStyle } from "./portrait-style.ts";
import { seededRandom } from "./random.ts";
import { blurred, element, group, line } from "./svg.ts";

/** The beard, clipped to the face and left out around the mouth. */
export function paintBeard(geometry: FaceGeometry, beard: NonNullable<PersonStyle["beard"]>): string {
  const { topY, height, halfWidth, mouth, nose } = geometry.shape;
  const chinY = topY + height;
  const random = seededRandom(41);
  const hairs: string[] = [];
  const count = beard.cover === "short" ? 1500 : 900;
  const cheekLine = (u: number) => topY + height * (0.9 - 0.3 * Math.min(1, Math.abs(u)) ** 2.2);
  while (hairs.length < count) {
    const u = (random() - 0.5) * 2.04;
    const y = topY + height * (0.56 + random() * 0.46);
    const x = CENTRE_X + u * halfWidth;
    const moustache = y > nose.y + 10 && y < mouth.y && Math.abs(x - CENTRE_X) < mouth.halfWidth * 1.12;
    if (!moustache && (y < cheekLine(u) - 12 + random() * 22 || y > chinY)) continue;
    if (isLip(geometry, x, y)) continue;
    const lean = (x - CENTRE_X) * 0.04 + (random() - 0.5) * 3;
    const length = beard.cover === "short" ? 7 + random() * 6 : 1.6 + random() * 1.6;
    const from: Point = [x, y];
    hairs.push(
      line(
        [from, [x + lean, y + length]],
        mix(beard.colour, random() > 0.7 ? "#fff0dd" : "#050304", random() * 0.3),
        beard.cover === "short" ? 1.5 : 1.2,
        {
          opacity: beard.cover === "short" ? 0.62 : 0.4,
        },
      ),
    );
  }
  const jaw: Point[] = linspace(-1, 1, 21).map((u) => [CENTRE_X + u * halfWidth * 1.02, cheekLine(u) + 4] as const);
  const under = element("path", {
    d: `M${jaw.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}L${CENTRE_X + halfWidth} ${chinY + 20}L${CENTRE_X - halfWidth} ${chinY + 20}Z`,
    fill: beard.colour,
    opacity: beard.cover === "short" ? 0.72 : 0.3,
    ...blurred(8),
  });
  const lip = linspace(-1, 1, 9).map((u) => [CENTRE_X + u * mouth.halfWidth * 1.1, mouth.y - 20 + 17 * u * u] as const);
  const moustacheBase = line(lip, beard.colour, 13, { opacity: beard.cover === "short" ? 0.72 : 0.24, ...blurred(4) });
  return group(under + moustacheBase + hairs.join(""), { "clip-path": "url(#face)" });
}

function isLip({ mouth, shape }: FaceGeometry, x: number, y: number): boolean {
  const u = (x - CENTRE_X) / shape.mouth.halfWidth;
  return Math.abs(u) < 1 && y + 9 > mouth.upper(u) && y < mouth.lower(u) + 2;
}
