import t from "tap";
import { createRgbImage, type RgbImage } from "../../../../src/signal/image/raster.ts";
import { straightenImage, turnImage } from "../../../../src/signal/image/turn-image.ts";

/** One colour a pixel, named by a number. */
const image = (widthPx: number, heightPx: number, reds: readonly number[]): RgbImage =>
  createRgbImage(widthPx, heightPx, Uint8Array.from(reds.flatMap((red) => [red, red + 1, red + 2])));
const reds = ({ data }: RgbImage): number[] => Array.from(data).filter((_, i) => i % 3 === 0);

t.test("quarters turn clockwise, and four of them leave the image as it was", async (t) => {
  const upright = image(3, 2, [10, 20, 30, 40, 50, 60]);
  const once = turnImage(upright, 1);
  t.same([once.widthPx, once.heightPx], [2, 3]);
  t.same(reds(once), [40, 10, 50, 20, 60, 30]);
  t.same(reds(turnImage(upright, 2)), [60, 50, 40, 30, 20, 10]);
  t.same(turnImage(once, 1), turnImage(upright, 2));
  t.same(turnImage(turnImage(upright, 2), 1), turnImage(upright, 3));
  t.same(turnImage(turnImage(upright, 3), 1), upright);
  t.equal(turnImage(upright, 0), upright);
});

t.test("a leaning line is straightened, and no pixel comes from outside", async (t) => {
  const side = 101;
  const leaning = createRgbImage(side, side, new Uint8Array(3 * side * side).fill(200));
  // A dark line through the middle that leans to the right at its top by 15°.
  for (let y = 0; y < side; y++) {
    const x = Math.round(50 + (50 - y) * Math.tan((15 * Math.PI) / 180));
    for (let wide = -1; wide <= 1; wide++)
      leaning.data.fill(0, 3 * (y * side + x + wide), 3 * (y * side + x + wide) + 3);
  }
  const straight = straightenImage(leaning, 15);
  t.equal(straight.widthPx, straight.heightPx, "a square stays one");
  t.ok(straight.widthPx > 78 && straight.widthPx < 84, `${straight.widthPx} px`);
  for (let y = 5; y < straight.heightPx - 5; y += 5) {
    const row = reds(straight).slice(y * straight.widthPx, (y + 1) * straight.widthPx);
    const darkest = row.indexOf(Math.min(...row));
    t.ok(Math.abs(darkest - (straight.widthPx - 1) / 2) <= 2, `row ${y}: column ${darkest}`);
    t.ok(row[0] > 190 && row.at(-1)! > 190);
  }
  t.equal(straightenImage(leaning, 0), leaning);
});
