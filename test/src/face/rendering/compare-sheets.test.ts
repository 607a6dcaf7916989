import t from "tap";
import { compareSheets } from "../../../../src/face/rendering/compare-sheets.ts";
import { layOutSheet } from "../../../../src/face/rendering/contact-sheet.ts";
import { createRgbImage } from "../../../../src/signal/image/raster.ts";

const layout = layOutSheet(
  { widthPx: 64, heightPx: 48 },
  { poses: { calm: {}, loud: {}, shy: {} }, cellWidthPx: 32, columns: 2 },
);

t.test("a contact sheet has a cell for every pose, and a visible change is reported with its pose", async (t) => {
  t.same([layout.widthPx, layout.cells.length, layout.cells[2].box.x], [64, 3, 0]);
  const before = createRgbImage(layout.widthPx, layout.heightPx);
  t.same(compareSheets(before, before, layout), []);
  const after = { ...before, data: before.data.map((value) => value + 8) };
  t.same(compareSheets(before, after, layout), [], "rounding is no change");
  const { box } = layout.cells[1];
  for (let x = 0; x < 6; x++) after.data[3 * ((box.y + 3) * layout.widthPx + box.x + x)] = 90;
  const [change, ...others] = compareSheets(before, after, layout);
  t.match(change, { pose: "loud", largest: 90 });
  t.ok(Math.abs(change.changedShare - 6 / (32 * 24)) < 1e-9);
  t.same(others, []);
  t.throws(() => compareSheets(before, createRgbImage(4, 4), layout), RangeError);
});
