import t from "tap";
import { writeRgba } from "../../../../src/face/rendering/i420-to-rgba.ts";
import { createI420Frame, i420ToRgb } from "../../../../src/signal/image/i420-frame.ts";

t.test("RGBA of a frame is within one step of the exact conversion, and opaque", async (t) => {
  const frame = createI420Frame(32, 18);
  // Every plane runs through all its values, also those outside the limited range.
  frame.data.forEach((_, index) => {
    frame.data[index] = (index * 37) % 256;
  });
  const rgba = new Uint8ClampedArray(4 * 32 * 18);
  writeRgba(frame, rgba);
  const exact = i420ToRgb(frame).data;
  let largest = 0;
  for (let pixel = 0; pixel < 32 * 18; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      largest = Math.max(largest, Math.abs(rgba[4 * pixel + channel] - exact[3 * pixel + channel]));
    }
  }
  t.ok(largest <= 1, `largest difference ${largest}`);
  t.ok(rgba.every((value, index) => index % 4 !== 3 || value === 255));
  t.throws(() => writeRgba(frame, new Uint8ClampedArray(4)), RangeError);
});
