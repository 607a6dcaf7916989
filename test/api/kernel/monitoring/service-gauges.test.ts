// Gauges that are read from elsewhere: one read serves a scrape and those soon after it, and a failed read leaves the
// rest of the metrics in place.
import { Registry } from "prom-client";
import t from "tap";
import { createServiceGauges } from "../../../../api/kernel/monitoring/service-gauges.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.test("one read serves all gauges of a group, until it is too old", async (t) => {
  const registry = new Registry();
  let reads = 0;
  let kinds = ["a", "b"];
  createServiceGauges(registry).add({
    part: "things",
    gauges: {
      all: { name: "things", help: "Things", labels: ["kind"] },
      sum: { name: "things_sum", help: "Sum" },
    },
    maxAgeMs: 50,
    read: async () => {
      reads += 1;
      return { all: kinds.map((kind) => ({ labels: { kind }, value: reads })), sum: kinds.length };
    },
  });
  const first = await registry.metrics();
  t.match(first, /^things\{kind="a"\} 1$/m);
  t.match(first, /^things_sum 2$/m);
  await registry.metrics();
  t.equal(reads, 1);
  kinds = ["b"];
  const second = await waitFor(async () => {
    const text = await registry.metrics();
    return text !== first && text;
  }, "another read");
  t.match(second, /^things\{kind="b"\} 2$/m);
  t.notMatch(second, /kind="a"/, "a label that is gone has no value");
});

t.test("a failed read is counted, and its gauges have no values", async (t) => {
  const registry = new Registry();
  let isBroken = false;
  const gauges = createServiceGauges(registry);
  gauges.add({
    part: "fragile",
    gauges: { size: { name: "size", help: "Size" }, parts: { name: "parts", help: "Parts", labels: ["part"] } },
    maxAgeMs: 0,
    read: async () => {
      if (isBroken) throw new Error("away");
      return { size: 3, parts: [{ labels: { part: "x" }, value: 1 }] };
    },
  });
  t.match(await registry.metrics(), /^size 3$/m);
  isBroken = true;
  const broken = await registry.metrics();
  t.notMatch(broken, /^(size|parts)[ {]/m);
  t.match(broken, /^avatar_metrics_failures_total\{part="fragile"\} 0$/m, "counted by the next scrape");
  t.match(await registry.metrics(), /^avatar_metrics_failures_total\{part="fragile"\} [1-9]/m);
  isBroken = false;
  t.match(await registry.metrics(), /^size 3$/m);
});

t.test("a read that takes too long does not hold up a scrape", async (t) => {
  const registry = new Registry();
  createServiceGauges(registry).add({
    part: "slow",
    gauges: { size: { name: "size", help: "Size" } },
    read: () => new Promise<{ size: number }>(() => undefined),
  });
  const startedMs = performance.now();
  t.notMatch(await registry.metrics(), /^size /m);
  t.ok(performance.now() - startedMs < 4_000);
});
