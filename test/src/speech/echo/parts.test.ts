// Parts of the echo check: the line of what was played, and the clock of a microphone.
import t from "tap";
import { MicrophoneClock } from "../../../../src/speech/echo/microphone-clock.ts";
import { ReferenceLine } from "../../../../src/speech/echo/reference-line.ts";

function readAt(line: ReferenceLine, place: number, length: number): number[] {
  const into = new Float64Array(length);
  line.read(place, into);
  return Array.from(into, (sample) => Math.round(sample * 32_768));
}

t.test("samples lie at their time; gaps, what is cleared and what is long past are silent", async (t) => {
  const line = new ReferenceLine();
  t.same(readAt(line, 0, 2), [0, 0]);
  line.write(Int16Array.of(1, 2, 3), 1000);
  line.write(Int16Array.of(4, 5), 1010);
  t.same(readAt(line, 999, 7), [0, 1, 2, 3, 4, 5, 0], "times that are rounded continue");
  line.write(Int16Array.of(6), 2000);
  t.same(readAt(line, 1003, 4), [4, 5, 0, 0]);
  t.same(readAt(line, 1999, 3), [0, 6, 0]);
  line.cut(2000);
  t.same(readAt(line, 1999, 3), [0, 0, 0]);
  line.write(Int16Array.of(7), 1500);
  t.same(readAt(line, 1499, 3), [0, 7, 0], "later audio replaces");
  line.write(Int16Array.of(8), 1_000_000);
  t.same(readAt(line, 1000, 3), [0, 0, 0]);
  t.same(readAt(line, 999_999, 3), [0, 8, 0]);
  line.write(new Int16Array(200_000).fill(9), 2_000_000);
  t.same(readAt(line, 2_199_998, 3), [9, 9, 0], "more than fits");
});

t.test("blocks that arrive by turns late follow each other; lost ones leave a gap", async (t) => {
  const clock = new MicrophoneClock();
  const delays = [20, 35, 28, 20, 31, 22];
  t.equal(clock.push(320, 1000 + 20), 16_320);
  t.ok(clock.hasJumped);
  for (let block = 1; block <= 200; block++) {
    const place = clock.push(320, 1000 + 20 * block + delays[block % delays.length]);
    t.equal(place, 16_320 + 320 * block);
    t.notOk(clock.hasJumped);
  }
  let gap = 0;
  for (let block = 202; block <= 330; block++) {
    const place = clock.push(320, 1000 + 20 * block + delays[block % delays.length]);
    if (clock.hasJumped) gap = block;
    t.equal(place, 16_320 + 320 * (gap ? block : block - 1));
  }
  t.ok(gap > 0 && gap <= 302, "a lost block is noticed within two seconds");
});

t.test("a first block that came late, and a long break, are corrected at once; slow drift is not", async (t) => {
  const clock = new MicrophoneClock();
  clock.push(320, 1100);
  t.equal(clock.push(320, 1040), 16_640);
  t.equal(clock.push(320, 9000), 144_000);
  for (let block = 1; block < 3000; block++) {
    clock.push(320, 9000 + block * 20.002);
    t.notOk(clock.hasJumped);
  }
});
