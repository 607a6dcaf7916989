import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { Schedule } from "./schedule.ts";

/** Files that wait use a quarter of a core, the others a whole one. */
const TIMINGS: Record<string, { durationS: number; cpuS: number }> = {
  "long work": { durationS: 60, cpuS: 90 },
  "long wait": { durationS: 50, cpuS: 12 },
  work: { durationS: 30, cpuS: 30 },
  "short work": { durationS: 10, cpuS: 10 },
  wait: { durationS: 8, cpuS: 2 },
};
const schedule = () => new Schedule(Object.keys(TIMINGS).toReversed(), (file) => TIMINGS[file]);

t.test("the longest files come first, and files that wait run beside those that use the cores", async (t) => {
  const files = schedule();
  t.equal(await files.next(0), "long work");
  t.equal(await files.next(1), "long wait");
  t.equal(await files.next(2), "wait", "no core is free for the longer ones");
  let started: string | undefined;
  const next = files.next(3).then((file) => {
    started = file;
  });
  await turn();
  t.equal(started, undefined);
  files.end("long wait");
  await turn();
  t.equal(started, undefined, "what is left of the cores is not enough");
  files.end("wait");
  await next;
  t.equal(started, "work");
});

t.test("lane 0 takes the longest file at once, so that none waits for the end of all others", async (t) => {
  const files = schedule();
  t.equal(await files.next(1), "long work");
  t.equal(await files.next(2), "long wait");
  t.equal(await files.next(0), "work");
});

t.test("every file is given out once, and then every lane ends", async (t) => {
  const files = schedule();
  const given: string[] = [];
  const lane = async (number: number) => {
    for (let file = await files.next(number); file !== undefined; file = await files.next(number)) {
      given.push(file);
      await turn();
      files.end(file);
    }
  };
  await Promise.all([0, 1, 2, 3].map(lane));
  t.same(given.toSorted(), Object.keys(TIMINGS).toSorted());
});
