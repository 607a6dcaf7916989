import t from "tap";
import { fitPolynomial } from "../../../../src/signal/math/fit-polynomial.ts";

const curve = (x: number) => 0.3 - 0.5 * x + 0.8 * x ** 2 - 0.1 * x ** 4;
const points = Array.from({ length: 31 }, (_, i) => {
  const x = 2 + (i - 15) / 10;
  return { x, y: curve(x) };
});

t.test("finds a polynomial through its points", async (t) => {
  const found = fitPolynomial(points, 4, 0.1);
  for (const x of [0.5, 1.2, 2, 3.4]) t.ok(Math.abs(found(x) - curve(x)) < 1e-4, `${x}`);
});

t.test("a few wrong points do not bend it", async (t) => {
  const spoilt = points.map((point, i) => (i > 10 && i < 15 ? { ...point, y: point.y + 3 } : point));
  const found = fitPolynomial(spoilt, 4, 0.1);
  for (const x of [0.6, 1.75, 3.3]) t.ok(Math.abs(found(x) - curve(x)) < 0.1, `${x}: ${found(x)}`);
});

t.test("too few points are refused", async (t) => {
  t.throws(() => fitPolynomial(points.slice(0, 4), 4, 0.1), RangeError);
});
