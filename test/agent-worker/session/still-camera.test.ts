// Stills of a session's face: small, and one a second.
import sharp from "sharp";
import t from "tap";
import { STILL_SIDE_PX, StillCamera } from "../../../agent-worker/session/still-camera.ts";
import { STILL_MAX_BYTES } from "../../../shared/runtime-api.ts";
import { createI420Frame } from "../../../src/signal/image/i420-frame.ts";

/** A grey frame; with `seed`, one of noise, which no encoder makes small. */
function frameOf(widthPx: number, heightPx: number, seed?: number) {
  const frame = createI420Frame(widthPx, heightPx);
  let state = seed ?? 0;
  for (let i = 0; i < frame.data.length; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    frame.data[i] = seed === undefined ? 128 : 16 + (state % 220);
  }
  return frame;
}

t.test("a still is small, whatever the face looks like", async (t) => {
  for (const [width, height, seed] of [
    [512, 512, undefined],
    [720, 406, undefined],
    [64, 64, undefined],
    [1280, 720, 1],
  ] as const) {
    const jpeg = await new StillCamera({ frame: async () => frameOf(width, height, seed) }).take();
    const read = await sharp(jpeg).metadata();
    t.equal(read.format, "jpeg");
    t.ok(jpeg.length <= STILL_MAX_BYTES, `${jpeg.length} bytes`);
    t.ok(Math.abs(read.width / read.height - width / height) < 0.02, `${read.width} × ${read.height}`);
    if (seed === undefined) t.equal(Math.max(read.width, read.height), Math.min(STILL_SIDE_PX, width));
    else t.ok(read.width <= STILL_SIDE_PX);
  }
});

t.test("those who ask within a second get one frame; a failure is forgotten", async (t) => {
  let frames = 0;
  let nowMs = 0;
  let fails = true;
  const camera = new StillCamera({
    nowMs: () => nowMs,
    frame: async () => {
      frames += 1;
      if (fails) throw new Error("the face is not rendered any more");
      return frameOf(64, 64);
    },
  });
  await t.rejects(camera.take(), /not rendered/);
  fails = false;
  const [first, second] = await Promise.all([camera.take(), camera.take()]);
  t.equal(first, second);
  nowMs = 999;
  t.equal(await camera.take(), first);
  t.equal(frames, 2);
  nowMs = 1_000;
  t.not(await camera.take(), first);
  t.equal(frames, 3);
});

t.test("a face that renders nothing has no still", async (t) => {
  await t.rejects(new StillCamera({ frame: () => new Promise(() => undefined) }).take(), {
    code: "SERVICE_UNAVAILABLE",
  });
});
