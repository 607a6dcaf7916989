// Numbers of 16 bits.
import t from "tap";
import { fromHalves, toHalves } from "../../../../../src/face/lip-sync/executor/half-floats.ts";

t.test("every finite half comes back from its number", async (t) => {
  const halves = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits).filter((bits) => (bits & 0x7c00) !== 0x7c00);
  const bytes = new Uint8Array(halves.buffer);
  t.same(toHalves(fromHalves(bytes)), bytes);
});

t.test("numbers become the nearest half, the even one in the middle, and never infinite", async (t) => {
  const numbers = [
    1 + 2 ** -11,
    1 + 3 * 2 ** -11,
    0.1,
    -0.1,
    1e-9,
    2 ** -24 * 1.4,
    65_519,
    1e9,
    -1e9,
    2 ** -14 - 2 ** -26,
  ];
  const expected = [1, 1 + 2 ** -9, 0.0999755859375, -0.0999755859375, 0, 2 ** -24, 65_504, 65_504, -65_504, 2 ** -14];
  t.same([...fromHalves(toHalves(Float32Array.from(numbers)))], expected);
});
