// Which part of the audio is recognised at once, and when a text has lost itself.
import t from "tap";
import { isLooped } from "../../../../src/speech/recognition/looped.ts";
import { cutAtPauses, longerWindow, windowSeconds } from "../../../../src/speech/recognition/windows.ts";

const RATE_HZ = 16_000;

t.test("a window holds the utterance and half a second more, and is 5 to 30 s long", async (t) => {
  const lengths = [0, 1, 4.5, 4.6, 5, 9.9, 29, 40].map((seconds) => windowSeconds(seconds * RATE_HZ));
  t.same(lengths, [5, 5, 5, 5.5, 5.5, 10.5, 29.5, 30]);
  t.same([5, 12, 20, 30].map(longerWindow), [10, 24, 30, undefined], "a second try reads more");
});

t.test("long audio is cut where it is quietest, nothing is lost, and every part fits", async (t) => {
  const samples = new Int16Array(70 * RATE_HZ).map((_, i) => (i % 2 ? 5000 : -5000));
  samples.fill(0, 23 * RATE_HZ, 23.3 * RATE_HZ);
  const parts = cutAtPauses(samples);
  t.equal(parts.length, 3);
  const [first] = parts;
  t.ok(first.length > 23 * RATE_HZ && first.length < 23.3 * RATE_HZ, "in the pause");
  t.ok(parts.every((part) => part.length <= 29 * RATE_HZ));
  t.equal(
    parts.reduce((sum, part) => sum + part.length, 0),
    samples.length,
  );
  t.same(cutAtPauses(samples.subarray(0, 29 * RATE_HZ)).length, 1);
});

t.test("a phrase that is said over and over is a loop; a repeated word or number is not", async (t) => {
  const repeated = (phrase: number[], times: number) => [9, ...Array.from({ length: times }, () => phrase).flat()];
  t.ok(isLooped(repeated([1, 2, 3, 4, 5], 3)));
  t.ok(isLooped(repeated([7], 8)));
  t.ok(
    isLooped(
      repeated(
        Array.from({ length: 24 }, (_, i) => i),
        3,
      ),
    ),
  );
  t.notOk(isLooped(repeated([7], 7)), "no, no, no …");
  t.notOk(isLooped(repeated([1, 2, 3], 4)), "a phone number");
  t.notOk(isLooped(repeated([1, 2, 3, 4, 5], 2)));
  t.notOk(isLooped([]));
});
