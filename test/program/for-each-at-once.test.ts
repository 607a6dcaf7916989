import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { forEachAtOnce } from "../../program/for-each-at-once.ts";

t.test("handles each item once, no more than so many at a time", async (t) => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  await forEachAtOnce(items, { concurrency: 3 }, async (item) => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    seen.push(item);
  });
  t.same(
    seen.sort((a, b) => a - b),
    items,
  );
  t.equal(most, 3);
});

t.test("begins with no other item once its signal fires", async (t) => {
  const end = new AbortController();
  const seen: number[] = [];
  await forEachAtOnce([1, 2, 3, 4], { concurrency: 1, signal: end.signal }, async (item) => {
    seen.push(item);
    if (item === 2) end.abort();
  });
  t.same(seen, [1, 2]);
});

t.test("rejects with the first error", async (t) => {
  const work = async () => Promise.reject(new Error("no"));
  await t.rejects(forEachAtOnce([1, 2], { concurrency: 2 }, work), { message: "no" });
});
