// Whether memory stays: what a soak decides by.
import t from "tap";
import { levelOf } from "../../../../lab/soak/console/is-level.ts";

const samples = (at: (minute: number) => number) => Array.from({ length: 60 }, (_, minute) => at(minute));

t.test("memory that grows by more than a tenth from minute 10 to 60 is not level", async (t) => {
  t.match(levelOf(samples(() => 50)), { early: 50, late: 50, ratio: 1, isLevel: true });
  t.match(
    levelOf(samples((minute) => (minute < 10 ? 20 : 50))),
    { ratio: 1, isLevel: true },
    "caches fill in the first minutes",
  );
  t.match(levelOf(samples((minute) => (minute % 3 === 0 ? 50 : 80))), { ratio: 1, isLevel: true }, "heaps breathe");
  t.match(levelOf(samples((minute) => 50 + minute / 4)), { isLevel: false });
  t.match(levelOf(samples((minute) => 50 + minute / 20)), { isLevel: true });
  t.throws(() => levelOf([1, 2, 3]), RangeError);
});
