// A canvas wider than its photo: what is made up beyond the edges is background, never a second head.
import { readFile } from "node:fs/promises";
import t from "tap";
import { faceOval } from "../../../../src/face/face-points.ts";
import { framePortrait } from "../../../../src/rig/measure/frame-portrait.ts";

const SIDE_PX = 768;
const GREY = 128;

t.test("the mirrored border of a wide canvas does not show the head", async (t) => {
  const json: number[][] = JSON.parse(await readFile("models/gallery/maya.points.json", "utf8"));
  const points = Float32Array.from(json.flat());
  const { centre, widthPx } = faceOval(points);
  const size = { widthPx: SIDE_PX, heightPx: SIDE_PX, channels: 3 } as const;
  const photo = { ...size, data: new Uint8Array(3 * SIDE_PX * SIDE_PX).fill(GREY) };
  for (let y = 0; y < SIDE_PX; y++) {
    for (let x = 0; x < SIDE_PX; x++) {
      if (Math.abs(x - centre.x) < 0.8 * widthPx) photo.data[3 * (y * SIDE_PX + x)] = 255;
    }
  }
  const framing = { canvas: { widthPx: 1280, heightPx: 512 }, regionPx: 384 };
  const { canvas, region } = framePortrait(photo, points, framing);
  const redAt = (x: number) => canvas.data[3 * (256 * canvas.widthPx + x)];
  t.ok(redAt(region.x + 192) > 250, "the head is in the region");
  const runs: number[] = [];
  for (let x = 1; x < canvas.widthPx; x++) if (redAt(x) > GREY + 64 && redAt(x - 1) <= GREY + 64) runs.push(x);
  t.equal(runs.length, 1, `one head across the canvas, begun at ${runs}`);
});
