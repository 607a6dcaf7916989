// What sessions that viewers render must reach, and how it is printed.
import t from "tap";
import type { PacketMetrics } from "../../../../../lab/bench/clients/audience.ts";
import { kbpsOf } from "../../../../../lab/bench/scale/local/kbps-of.ts";
import {
  type LocalRow,
  type LocalScaleMetrics,
  missedLocalGoals,
} from "../../../../../lab/bench/scale/local/local-metrics.ts";
import { localScaleTable } from "../../../../../lab/bench/scale/local/local-table.ts";

const speaking: LocalRow = {
  name: "viewers render, speaking",
  sessions: 12,
  cpu: { per_session: 4, processes_per_session: 3.8, livekit: 30, api: 2 },
  processes: 3,
  memory_per_session_mb: 60,
  kbps: { received: 50, with_headers: 62 },
  motion_fps: 25,
  motion_packets_per_s: 3.1,
  visemes: { all: 0.98, arrived: 0.99 },
  audio_ms: { p50: 150, p95: 200, max: 220 },
  audio_holes: 0,
  longest_audio_gap_ms: 60,
  missed: [],
};

t.test("each goal is noticed, and those of other sessions are not", async (t) => {
  t.same(missedLocalGoals(speaking), []);
  const cases: [Partial<LocalRow>, string[]][] = [
    [{ cpu: { ...speaking.cpu!, per_session: 4.1 } }, ["CPU"]],
    [{ memory_per_session_mb: 61 }, ["memory"]],
    [{ kbps: { received: 400, with_headers: 420 } }, []],
    [{ name: "viewers render, silent", kbps: { received: 50.1, with_headers: 62 } }, ["kbit/s"]],
    [{ name: "conversation, listening", kbps: { received: 50.1, with_headers: 62 } }, ["kbit/s"]],
    [{ name: "conversation, provider's voice", kbps: { received: 50, with_headers: 62 } }, []],
    [{ kbps: null }, []],
    [{ motion_fps: 24.6 }, ["motion"]],
    [{ audio_ms: { p50: 150, p95: 201, max: 220 } }, ["audio"]],
    [{ visemes: { all: 0.97, arrived: 0.99 } }, ["visemes"]],
    [{ audio_ms: null }, ["audio"]],
    [{ audio_holes: 1 }, ["gaps"]],
    [{ longest_audio_gap_ms: 101 }, ["gaps"]],
    [{ failed: "the avatars answer", cpu: undefined }, ["sessions"]],
    [{ name: "viewers render, silent", audio_ms: undefined, audio_holes: undefined }, []],
    [{ name: "streamed without a viewer, silent", cpu: { ...speaking.cpu!, per_session: 6 }, motion_fps: 0 }, []],
    [{ name: "streamed without a viewer, silent", cpu: { ...speaking.cpu!, per_session: 6.1 } }, ["CPU"]],
    [{ name: "conversation, built-in voice", spoken: 0.49 }, ["speech"]],
    [
      {
        name: "conversation, built-in voice",
        spoken: 0.5,
        cpu: { ...speaking.cpu!, per_session: 40 },
        audio_ms: undefined,
      },
      [],
    ],
  ];
  for (const [change, missed] of cases)
    t.same(missedLocalGoals({ ...speaking, ...change }), missed, JSON.stringify(change));
});

t.test("the table has a line for each row, with what failed", async (t) => {
  const name = "conversation, listening";
  const metrics: LocalScaleMetrics = {
    subject: "abc a commit",
    load_average: { before: 1.5, after: 3 },
    idle_cpu_percent: 0.8,
    rows: [speaking, { name, sessions: 4, failed: "no answer", missed: ["sessions"] }],
  };
  const machine = { cpu: "A processor", cores: 2, memory_gb: 8, system: "linux", node: "v24", load_average: 1.5 };
  const table = localScaleTable(metrics, machine);
  t.match(table, /speaking +12 +4\.0 +3\.8 +60 +3 +50 \(62\) +25\.0 +3\.1 +0\.980 +150 \/ 200 +0 +60 +– +none/);
  t.match(table, /listening +4 .*no answer/);
});

t.test("what viewers receive is the mean of those who count bytes", async (t) => {
  const listener = { receivedBytes: 50_000, audioPackets: 400, motionPackets: 100 } as PacketMetrics;
  const decoding = { ...listener, receivedBytes: 0 };
  t.same(kbpsOf([listener, { ...listener, receivedBytes: 70_000 }, decoding], 10_000), {
    received: 48,
    with_headers: 48 + (28 * 500 * 8) / 10_000,
  });
  t.equal(kbpsOf([decoding], 10_000), null);
  t.equal(kbpsOf([], 10_000), null);
});
