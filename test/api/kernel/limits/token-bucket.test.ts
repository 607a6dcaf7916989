// Token buckets: a burst of one minute's worth, continuous refill, exact counts however many ask.
import t from "tap";
import { createRateLimiter } from "../../../../api/kernel/limits/token-bucket.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";

t.test("a bucket allows a burst of one minute's requests and refills continuously", async (t) => {
  await withDatabase(async ({ pool }) => {
    let nowMs = 1_000_000;
    const limiter = createRateLimiter({ pool, now: () => nowMs });
    const take = () => limiter.take("k", 6);
    t.match(await take(), { isAllowed: true, limit: 6, remaining: 5, fullAtUnixS: 1010, retryAfterSeconds: 0 });
    for (let request = 0; request < 5; request++) t.equal((await take()).isAllowed, true);
    t.match(await take(), { isAllowed: false, remaining: 0, fullAtUnixS: 1060, retryAfterSeconds: 10 });
    nowMs += 4_000;
    t.match(await take(), { isAllowed: false, retryAfterSeconds: 6 }, "a refused request takes nothing");
    nowMs += 6_000;
    t.match(await take(), { isAllowed: true, remaining: 0, fullAtUnixS: 1070 });
    nowMs -= 60_000;
    t.equal((await take()).isAllowed, false, "a clock that steps back refills nothing");
    nowMs += 600_000;
    t.match(await take(), { isAllowed: true, remaining: 5 }, "it never holds more than a minute's worth");
    t.match(await limiter.take("other", 6), { isAllowed: true, remaining: 5 }, "keys are apart");
    t.match(await limiter.take("k", 60), { limit: 60, remaining: 4 }, "a limit that grows refills from where it was");
    t.match(await limiter.take("k", 3), { limit: 3, remaining: 2 }, "one that shrinks holds no more than it");
  });
});

t.test("concurrent requests are counted exactly, in one process and across several", async (t) => {
  await withDatabase(async ({ pool }) => {
    const limiters = [1, 2, 3, 4].map(() => createRateLimiter({ pool, now: () => 5_000 }));
    const keys = ["a", "b", "c"];
    const takes = Array.from({ length: 300 }, (_, index) => {
      const key = keys[index % keys.length];
      return limiters[index % limiters.length].take(key, 20).then((state) => ({ key, ...state }));
    });
    const states = await Promise.all(takes);
    for (const key of keys) {
      const allowed = states.filter((state) => state.key === key && state.isAllowed);
      t.equal(allowed.length, 20, "as many as the bucket holds");
      t.same(
        allowed.map(({ remaining }) => remaining).sort((left, right) => right - left),
        Array.from({ length: 20 }, (_, index) => 19 - index),
        "each was told of another rest",
      );
    }
    const single = createRateLimiter({ pool, now: () => 5_000 });
    const order = await Promise.all(Array.from({ length: 30 }, () => single.take("order", 20)));
    t.same(
      order.map(({ isAllowed }) => isAllowed),
      Array.from({ length: 30 }, (_, index) => index < 20),
      "who comes first is served first",
    );
    t.match(order[0], { remaining: 19 });
    t.match(order[29], { remaining: 0, retryAfterSeconds: 3 });
  });
});

t.test("a database failure fails the current requests, and the next ones succeed", async (t) => {
  await withDatabase(async ({ pool }) => {
    const limiter = createRateLimiter({ pool, now: () => 5_000 });
    await pool.query("alter table rate_buckets rename to elsewhere");
    const failed = await Promise.allSettled([limiter.take("k", 6), limiter.take("l", 6)]);
    t.same(
      failed.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    await pool.query("alter table elsewhere rename to rate_buckets");
    t.equal((await limiter.take("k", 6)).isAllowed, true);
  });
});
