import t from "tap";
import { type RegionBand, regionBands } from "../../../../src/face/rig-graph/region-bands.ts";

const box = (y: number, heightPx: number) => ({ x: 0, y, widthPx: 384, heightPx });

/** Rows that a region is cut into, as [first, end] and what is rendered there besides the head. */
function rowsOf(bands: readonly RegionBand[]) {
  return bands.map(({ box: { y, heightPx }, patch }) => [y, y + heightPx, patch ?? "head"]);
}

t.test("bands cover the region from top to bottom, and none is too high for the cache", async (t) => {
  const bands = regionBands(384, { eyes: box(144, 96), mouth: box(248, 112) });
  t.same(rowsOf(bands), [
    [0, 96, "head"],
    [96, 144, "head"],
    [144, 240, "eyes"],
    [240, 248, "head"],
    [248, 360, "mouth"],
    [360, 384, "head"],
  ]);
  t.ok(bands.every(({ box: { x, widthPx } }) => x === 0 && widthPx === 384));
});

t.test("boxes that touch each other and the region's edges leave no empty bands", async (t) => {
  t.same(rowsOf(regionBands(256, { eyes: box(0, 128), mouth: box(128, 128) })), [
    [0, 128, "eyes"],
    [128, 256, "mouth"],
  ]);
});
