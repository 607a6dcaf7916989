// The goals of the realtime benchmark.
import t from "tap";
import { goalRows, type RealtimeFigures, realtimeTable } from "../../../bench/realtime/realtime-figures.ts";

const latency = { p50: 0.1, p95: 0.3, max: 2 };
const figures: RealtimeFigures = {
  direct_ms: latency,
  relayed_ms: { ...latency, p95: 5.4 },
  added_p95_ms: 5.1,
  busy: { sockets: 50, events_per_s: 2500, relay_core_percent: 30 },
  idle: { sockets: 500, empty_mb: 60, full_mb: 90, added_mb: 30 },
};

t.test("a goal is met up to its figure, and the table says which are missed", async (t) => {
  t.same(
    goalRows(figures).map(({ isMet }) => isMet),
    [false, true, true, true],
  );
  t.match(realtimeTable(figures), /missed {2}added to an event, p95: 5\.1 ms \(<= 5\)/);
});
