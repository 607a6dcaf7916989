// The telephone's codecs.
import t from "tap";
import { decodeG711, encodeG711, type G711Law } from "../../../../src/signal/audio/g711.ts";

for (const law of ["ulaw", "alaw"] as const satisfies readonly G711Law[]) {
  t.test(`${law}: a sample comes back within the step of its size`, async (t) => {
    const samples = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
    const back = decodeG711(encodeG711(samples, law), law);
    const worst = samples.reduce((most, sample, i) => {
      return Math.max(most, Math.abs(back[i] - sample) / Math.max(256, Math.abs(sample)));
    }, 0);
    t.ok(worst < 0.05, `${worst}`);
  });
}

t.test("known codes: full scale and silence", async (t) => {
  t.same(decodeG711(Uint8Array.of(0x00, 0x80, 0xff), "ulaw"), Int16Array.of(-32_124, 32_124, 0));
  t.same(decodeG711(Uint8Array.of(0xd5, 0x55, 0xaa), "alaw"), Int16Array.of(8, -8, 32_256));
});
