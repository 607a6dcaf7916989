// The goals of the realtime benchmark, and its table.
import t from "tap";
import { goalRows, type RealtimeFigures } from "../../../bench/realtime/realtime-figures.ts";
import { realtimeTable } from "../../../bench/realtime/realtime-table.ts";

const latency = { p50: 0.1, p95: 0.3, max: 2 };
const events: RealtimeFigures["events"] = {
  direct_ms: latency,
  relayed_ms: { ...latency, p95: 5.4 },
  added_p95_ms: 5.1,
  busy: { sockets: 50, events_per_s: 2500, relay_core_percent: 30 },
  idle: { sockets: 500, empty_mb: 60, full_mb: 90, added_mb: 30 },
};
const webrtc: RealtimeFigures["webrtc"] = {
  microphone_ms: null,
  tones: 20,
  tones_lost: 20,
  relay_core_percent: { without_call: 0.1, silent: 5, speaking: 12.1 },
  memory_mb: { without_call: 21, with_call: 35 },
};

t.test("a goal is met up to its figure, and the table says which are missed", async (t) => {
  t.same(
    goalRows({ events }).map(({ isMet }) => isMet),
    [false, true, true, true],
  );
  t.match(realtimeTable({ events }), /missed {2}added to an event, p95: 5\.1 ms \(<= 5\)/);
});

t.test("what could not be measured is a goal that was missed", async (t) => {
  t.same(
    goalRows({ webrtc }).map(({ isMet }) => isMet),
    [false, true, false, false, false],
  );
  t.match(realtimeTable({ webrtc }), /missed {2}microphone to server, p50: – ms \(<= 100\)/);
});
