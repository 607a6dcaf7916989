import t from "tap";
import { workerLoad } from "../../../agent-worker/capacity/worker-load.ts";

/** Below LiveKit's target load, from which on it offers a worker nothing. */
const TARGET_LOAD = 0.7;

t.test("a worker with more slots for each session has a lower load", async (t) => {
  const load = (held: number, most: number, limit = 12) => workerLoad({ held, most, limit });
  t.equal(load(12, 12), 1, "a worker at its limit takes nothing");
  t.equal(load(13, 12), 1);
  t.ok(load(11, 12) < TARGET_LOAD, "the last slot is offered");
  t.ok(load(0, 1) < TARGET_LOAD, "so is the only one");
  t.ok(load(4, 12) < load(5, 12));
  t.ok(load(0, 12) < load(0, 4), "an idle strong worker comes before an idle weak one");
  t.ok(load(1, 12) < load(0, 4) && load(3, 12) > load(0, 4), "and the weak one comes when their shares are even");
  t.ok(Number.isFinite(Math.fround(workerLoad({ held: 0, most: 1000, limit: 1000 }))), "it fits the protocol's number");
});

t.test("a worker without measured capacity comes last, but before none", async (t) => {
  const full = workerLoad({ held: 3, most: 3, limit: 8 });
  t.ok(full < TARGET_LOAD, "it may take a session that lost its worker");
  const weights = [full, workerLoad({ held: 0, most: 1, limit: 8 })].map((load) => 1 - load);
  t.ok(weights[1] > 1000 * weights[0], "any worker with a free slot is all but certain to be chosen before it");
});

t.test("a full worker is offered sessions while it takes those that viewers render", async (t) => {
  t.equal(workerLoad({ held: 2, most: 2, limit: 2 }), 1);
  const load = workerLoad({ held: 2, most: 2, limit: 2, takesLight: true });
  t.ok(load < TARGET_LOAD && load > workerLoad({ held: 1, most: 2, limit: 2 }), "after any with a free slot");
});

t.test("a worker with a vacant session comes after those with a free slot, and before full ones", async (t) => {
  const [full, vacant, free] = [
    { held: 3, most: 3, limit: 8 },
    { held: 2, vacant: 1, most: 3, limit: 8 },
    { held: 0, most: 1, limit: 8 },
  ].map((capacity) => 1 - workerLoad(capacity));
  t.ok(vacant > 2 * full && free > 100 * vacant, `${full}, ${vacant}, ${free}`);
  t.ok(workerLoad({ held: 0, vacant: 1, most: 1, limit: 1 }) < TARGET_LOAD, "its slot is offered");
});
