// Rate limits in the database: burst, refill, and what happens to the clock.
import t from "tap";
import { createRateLimiter } from "../../../api/limits/token-bucket.ts";
import { withDatabase } from "../../helpers/with-database.ts";

t.test("a bucket allows its burst, refills continuously and never beyond its size", async (t) => {
  await withDatabase(async ({ database }) => {
    let nowMs = 1_000_000_000;
    const limiter = createRateLimiter({ database, now: () => nowMs });
    const take = () => limiter.take("k", 6);
    for (let left = 5; left >= 0; left--) t.match(await take(), { isAllowed: true, limit: 6, remaining: left });
    t.match(await take(), { isAllowed: false, remaining: 0, retryAfterSeconds: 10, fullAtUnixS: nowMs / 1000 + 60 });
    nowMs += 9_000;
    t.match(await take(), { isAllowed: false, retryAfterSeconds: 1 }, "refused requests take nothing");
    nowMs += 1_000;
    t.match(await take(), { isAllowed: true, remaining: 0 });
    nowMs -= 3_600_000;
    t.match(await take(), { isAllowed: false }, "a clock that steps back refills nothing");
    nowMs += 3_600_000 + 3_600_000;
    t.match(await take(), { isAllowed: true, remaining: 5 }, "an hour fills no more than a minute's worth");
    t.match(await limiter.take("other", 6), { isAllowed: true, remaining: 5 }, "keys are apart");
  });
});

t.test("requests at the same time are counted one by one", async (t) => {
  await withDatabase(async ({ database }) => {
    const limiter = createRateLimiter({ database, now: () => 5_000 });
    const states = await Promise.all(Array.from({ length: 50 }, () => limiter.take("k", 20)));
    t.equal(states.filter((state) => state.isAllowed).length, 20);
  });
});
