// The goals of the realtime benchmark, and its table.
import t from "tap";
import { goalRows, type RealtimeMetrics } from "../../../../lab/bench/realtime/realtime-metrics.ts";
import { realtimeTable } from "../../../../lab/bench/realtime/realtime-table.ts";

const latency = { p50: 0.1, p95: 0.3, max: 2 };
const events: RealtimeMetrics["events"] = {
  direct_ms: latency,
  relayed_ms: { ...latency, p95: 5.4 },
  added_p95_ms: 5.1,
  busy: { sockets: 50, events_per_s: 2500, relay_core_percent: 30 },
  idle: { sockets: 500, empty_mb: 60, full_mb: 90, added_mb: 30 },
};
const webrtc: RealtimeMetrics["webrtc"] = {
  microphone_ms: null,
  tones: 20,
  tones_lost: 20,
  relay_core_percent: { without_call: 0.1, silent: 5, speaking: 12.1 },
  memory_mb: { without_call: 21, with_call: 35 },
};
const spread = { p50: 900, p95: 1_000, max: 1_100 };
const answers = {
  turns: 8,
  unanswered: 0,
  answer_ms: spread,
  arrived_ms: spread,
  text_ms: spread,
  decided_ms: spread,
  first_piece_ms: spread,
  first_audio_ms: spread,
  way_ms: null,
};
const own: RealtimeMetrics["own"] = {
  room: answers,
  websocket: answers,
  webrtc: { ...answers, turns: 7, unanswered: 1 },
  added_ms: { websocket: -200, webrtc: 101 },
};

t.test("a goal is met up to its limit, and the table says which are missed", async (t) => {
  t.same(
    goalRows({ events }).map(({ isMet }) => isMet),
    [false, true, true, true],
  );
  t.match(realtimeTable({ events }), /missed {2}added to an event, p95: 5\.1 ms \(<= 5\)/);
});

t.test("answers of the service itself are compared with those in a room", async (t) => {
  t.same(
    goalRows({ own }).map(({ isMet }) => isMet),
    [true, false, false],
  );
  t.match(realtimeTable({ own }), /met {5}answer beside a room's, WebSocket: -200 ms \(<= 100\)/);
});

t.test("what could not be measured is a goal that was missed", async (t) => {
  t.same(
    goalRows({ webrtc }).map(({ isMet }) => isMet),
    [false, true, false, false, false],
  );
  t.match(realtimeTable({ webrtc }), /missed {2}microphone to server, p50: – ms \(<= 100\)/);
});
