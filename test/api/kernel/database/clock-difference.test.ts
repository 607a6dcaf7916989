import t from "tap";
import { CLOCK_TOLERANCE_MS, readClockDifference } from "../../../../api/kernel/database/clock-difference.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";

t.test("a clock that is not the database's is measured", async (t) => {
  await withDatabase(async ({ pool }) => {
    const right = await readClockDifference(pool, Date.now);
    t.ok(Math.abs(right) < CLOCK_TOLERANCE_MS, `${right} ms`);
    for (const wrongMs of [-3_600_000, 10_000]) {
      const difference = await readClockDifference(pool, () => Date.now() + wrongMs);
      t.ok(Math.abs(difference - wrongMs) < CLOCK_TOLERANCE_MS, `${difference} ms instead of ${wrongMs}`);
    }
  });
});
