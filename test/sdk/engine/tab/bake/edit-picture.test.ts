import t from "tap";
import { editPicture, surroundingsOf } from "../../../../../sdk/engine/tab/bake/edit-picture.ts";
import { TabBakeError, toTabBakeError } from "../../../../../sdk/engine/tab/bake/tab-bake-error.ts";
import { createRgbImage, type PixelBox } from "../../../../../src/signal/image/raster.ts";

const SIZE = { widthPx: 1200, heightPx: 800 };
const face = (x: number, y: number): PixelBox => ({ x, y, widthPx: 100, heightPx: 100 });
const shares = (first: PixelBox, second: PixelBox): boolean =>
  first.x < second.x + second.widthPx &&
  second.x < first.x + first.widthPx &&
  first.y < second.y + second.heightPx &&
  second.y < first.y + first.heightPx;
const holds = (outer: PixelBox, inner: PixelBox): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.widthPx >= inner.x + inner.widthPx &&
  outer.y + outer.heightPx >= inner.y + inner.heightPx;

t.test("the surroundings of a face hold it with hair and neck, and no other face", (t) => {
  const own = face(500, 300);
  const alone = surroundingsOf(own, [], SIZE);
  t.ok(alone.widthPx > 450 && alone.heightPx > 450);
  for (const [x, y] of [
    [650, 300],
    [340, 320],
    [500, 480],
    [500, 140],
    [620, 430],
  ]) {
    const other = face(x, y);
    const around = surroundingsOf(own, [other], SIZE);
    t.ok(holds(around, own), `beside a face at ${x}, ${y}`);
    t.notOk(shares(around, other));
    t.ok(around.widthPx * around.heightPx > 0.3 * alone.widthPx * alone.heightPx, "and as much else as possible");
  }
  const crowded = surroundingsOf(own, [face(400, 300), face(600, 300), face(500, 200), face(500, 400)], SIZE);
  t.ok(holds(crowded, own) && crowded.widthPx >= 155, "cheek to cheek, the face itself stays whole");
  const corner = surroundingsOf(face(0, 0), [], SIZE);
  t.ok(corner.x === 0 && corner.y === 0 && holds({ x: 0, y: 0, ...SIZE }, corner), "within the picture");
  t.end();
});

t.test("a picture is turned, then cropped within its edges", (t) => {
  const picture = createRgbImage(40, 20);
  t.equal(editPicture(picture, {}), picture);
  const turned = editPicture(picture, { turn: 90, crop: { x: 5, y: 10, widthPx: 500, heightPx: 12.4 } });
  t.same([turned.widthPx, turned.heightPx], [15, 12]);
  const outside = editPicture(picture, { crop: { x: 99, y: -5, widthPx: 0, heightPx: 0 } });
  t.same([outside.widthPx, outside.heightPx], [1, 1]);
  t.end();
});

t.test("errors of the browser become messages with a next step", (t) => {
  const own = new TabBakeError("picture", "Choose another.");
  t.equal(toTabBakeError(own), own);
  t.match(toTabBakeError(new RangeError("Array buffer allocation failed")), {
    code: "memory",
    message: /Close other tabs/,
  });
  t.match(toTabBakeError(new RangeError("WebAssembly.Memory(): out of memory")), { code: "memory" });
  t.match(toTabBakeError(new Error("secret detail")), {
    code: "failed",
    message: /^The face could not be made.*Try again/,
  });
  t.end();
});
