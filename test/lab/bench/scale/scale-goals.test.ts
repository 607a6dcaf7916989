// What counts as reached, and how many sessions a machine holds.
import t from "tap";
import type { ListenerMetrics } from "../../../../lab/bench/clients/listener-metrics.ts";
import { isWithinBounds, largestWithinBounds, missedGoals } from "../../../../lab/bench/scale/scale-goals.ts";
import type { ScaleRow } from "../../../../lab/bench/scale/scale-metrics.ts";
import { scaleTable } from "../../../../lab/bench/scale/scale-table.ts";

const good: ListenerMetrics = {
  fps: 25,
  late_frames_percent: 0.4,
  longest_frame_gap_ms: 95,
  audio_holes: 0,
  audio_ms: { p50: 120, p95: 180, max: 190 },
  mouth_ms: { p50: 110, p95: 170 },
  skew_ms: -10,
  sync_strength: 0.6,
};
const audience = {
  listeners: 3,
  worst_fps: 24.8,
  worst_late_frames_percent: 0.9,
  longest_frame_gap_ms: 100,
  longest_audio_gap_ms: 30,
};
const row = (sessions: number, judged: Partial<ListenerMetrics> = {}, rest: Partial<ScaleRow> = {}): ScaleRow => {
  const whole = { sessions, judged: { ...good, ...judged }, audience, times_encode_only: 1.5, ...rest };
  return { ...whole, missed: missedGoals(whole) };
};

t.test("a row within every bound misses nothing; each bound is noticed", async (t) => {
  t.same(row(4).missed, []);
  const cases: [Partial<ListenerMetrics>, string][] = [
    [{ fps: 24.6 }, "fps"],
    [{ fps: 25.4 }, "fps"],
    [{ late_frames_percent: 1 }, "late"],
    [{ audio_holes: 1 }, "holes"],
    [{ audio_ms: { p50: 150, p95: 200, max: 220 } }, "audio"],
    [{ audio_ms: null }, "audio"],
    [{ mouth_ms: { p50: 150, p95: 201 } }, "mouth"],
    [{ skew_ms: -46 }, "A/V"],
  ];
  for (const [judged, goal] of cases) t.same(row(4, judged).missed, [goal], JSON.stringify(judged));
  t.same(
    row(4, {}, { audience: { ...audience, worst_fps: 24.6 } }).missed,
    ["fps"],
    "of a listener who does not judge",
  );
  t.same(row(4, {}, { times_encode_only: 1.61 }).missed, ["CPU"]);
});

t.test("the largest number holds with all smaller ones; CPU alone does not take a row out of bounds", async (t) => {
  const costly = row(2, {}, { times_encode_only: 2 });
  t.ok(isWithinBounds(costly));
  const refused = { sessions: 9, refused: { at_session: 9, status: 503, code: "SERVICE_UNAVAILABLE" } };
  const rows = [row(6, { audio_holes: 3 }), row(1), costly, row(4), row(8)];
  t.equal(largestWithinBounds(rows), 4);
  t.equal(largestWithinBounds([row(1, { fps: 20 }), row(2)]), 0);
  t.same(missedGoals(refused), ["admission"]);
  t.same(missedGoals({ sessions: 9, failed: "a session showed no frame" }), ["frames"]);
});

t.test("the table says how many sessions are held and what one more does", async (t) => {
  const yardstick = { cpu_ms: 6.1, cpu_ms_least_disturbed: 5.9 };
  const refused: ScaleRow = {
    sessions: 5,
    refused: { at_session: 5, status: 503, code: "SERVICE_UNAVAILABLE" },
    missed: ["admission"],
  };
  const metrics = {
    subject: "abc1234 a commit",
    grid_sample_384: { before: yardstick, after: yardstick },
    idle_memory_mb: { start: 1, api: 2, relay: 6, workers: 3, service: 12, livekit: 4, postgres: 5 },
    idle_cpu_percent: 2.5,
    rows: [row(4), refused],
    largest: 4,
  };
  const machine = { cpu: "a processor", cores: 2, memory_gb: 8, system: "linux", node: "v24", load_average: 0.1 };
  const text = scaleTable([metrics], machine);
  t.match(text, /Holds 4 sessions within bounds\. With 5: session 5 refused: 503 SERVICE_UNAVAILABLE\./);
  t.match(text, /^ {2}4 +24\.8 +0\.9 +0 +120 \/ 180/m, "the worst of judge and audience");
});
