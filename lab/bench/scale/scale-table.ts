// The metrics of `npm run bench -- scale` as tables for a terminal.

import { textTable } from "../../../cli/terminal/text-table.ts";
import type { Machine } from "../machine.ts";
import { GOALS } from "./scale-goals.ts";
import type { ScaleMetrics, ScaleRow } from "./scale-metrics.ts";

/** Everything that was measured. */
export function scaleTable(all: readonly ScaleMetrics[], machine: Machine): string {
  const { cpu, cores, memory_gb, load_average } = machine;
  const head = `${cpu}, ${cores} cores, ${memory_gb} GB, load ${load_average} before the run`;
  return `\n  ${[head, ...all.map(describe)].join("\n\n")}\n`;
}

function describe(metrics: ScaleMetrics): string {
  const { subject, rows, largest, grid_sample_384: grid } = metrics;
  const conclusion = [
    largest > 0
      ? `  Holds ${largest} session${largest === 1 ? "" : "s"} within bounds.`
      : "  Holds no session within bounds.",
    ...rows
      .filter((row) => row.sessions > largest)
      .slice(0, 1)
      .map(describeNext),
  ];
  return [
    `  ${subject}`,
    `  GridSample of 384 × 384: ${grid.before.cpu_ms} ms CPU before, ${grid.after.cpu_ms} ms after`,
    "",
    "  What listeners receive (worst session; latencies p50 / p95, ms)",
    textTable(
      ["sessions", "fps", "late %", "holes", "audio", "mouth", "A/V ms", "missed goals"],
      rows.map((row) => receivedCells(row)),
    ),
    "",
    "  What it costs (percent of one core; MB: what a session adds to workers and api)",
    textTable(
      [
        "sessions",
        "a session",
        "encode-only",
        "its fps",
        "ratio",
        "livekit",
        "api",
        "postgres",
        "senders",
        "listeners",
        "MB",
      ],
      rows.map((row) => costCells(row)),
    ),
    "",
    textTable(["once", "measured", "goal"], singleRows(metrics)),
    "",
    conclusion.join(" "),
  ].join("\n");
}

function receivedCells(row: ScaleRow): string[] {
  const { sessions, judged, audience, missed } = row;
  if (!judged) return [String(sessions), "–", "–", "–", "–", "–", "–", whyNot(row)];
  const pair = (of: { p50: number; p95: number } | null) =>
    of ? `${Math.round(of.p50)} / ${Math.round(of.p95)}` : "–";
  return [
    String(sessions),
    Math.min(judged.fps, audience?.worst_fps ?? judged.fps).toFixed(1),
    Math.max(judged.late_frames_percent, audience?.worst_late_frames_percent ?? 0).toFixed(1),
    String(judged.audio_holes),
    pair(judged.audio_ms),
    pair(judged.mouth_ms),
    judged.skew_ms === null ? "–" : String(judged.skew_ms),
    missed.join(", ") || "none",
  ];
}

function costCells({ sessions, cpu, encode_only, times_encode_only, memory_per_session_mb }: ScaleRow): string[] {
  if (!cpu) return [String(sessions), ...new Array<string>(10).fill("–")];
  const whole = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(0));
  return [
    String(sessions),
    cpu.service_per_session.toFixed(1),
    encode_only?.cpu_per_session.toFixed(1) ?? "–",
    encode_only?.fps.toFixed(1) ?? "–",
    times_encode_only?.toFixed(2) ?? "–",
    ...[cpu.livekit, cpu.api, cpu.postgres, cpu.senders, cpu.listeners, memory_per_session_mb].map(whole),
  ];
}

function singleRows({ starts, speech, idle_memory_mb: idle, idle_cpu_percent }: ScaleMetrics): string[][] {
  const rows: string[][] = [];
  const pair = ({ p50, p95 }: { p50: number; p95: number }) => `${Math.round(p50)} / ${Math.round(p95)} ms`;
  if (starts) {
    rows.push(
      ["request to first frame, a process is ready", pair(starts.warm_ms), `p95 < ${GOALS.warmStartP95Ms} ms`],
      ["request to first frame, a process is made", pair(starts.cold_ms), `p95 < ${GOALS.coldStartP95Ms} ms`],
    );
  }
  if (speech) {
    const { audio_ms: audio, audio_holes } = speech.after_joining;
    rows.push(
      ["reply pushed ahead: first audio", pair(speech.ahead_first_audio_ms), `p95 < ${GOALS.aheadP95Ms} ms`],
      ["speech right after joining: audio", audio ? pair(audio) : "–", `p95 < ${GOALS.latencyP95Ms} ms`],
      ["speech right after joining: holes", String(audio_holes), "0"],
    );
  }
  const detail = `start ${idle.start}, api ${idle.api}, workers ${idle.workers}`;
  rows.push(
    [`memory, idle (${detail})`, `${idle.service} MB`, `≤ ${GOALS.idleMemoryMb} MB`],
    ["memory of LiveKit server and PostgreSQL", `${idle.livekit} and ${idle.postgres} MB`, ""],
    ["CPU, idle", `${idle_cpu_percent} %`, ""],
  );
  return rows;
}

function describeNext(row: ScaleRow): string {
  if (!row.judged) return `With ${row.sessions}: ${whyNot(row)}.`;
  const { fps, audio_holes } = row.judged;
  return `With ${row.sessions}: ${fps} fps, ${audio_holes} holes; missed: ${row.missed.join(", ")}.`;
}

function whyNot({ refused, failed }: ScaleRow): string {
  return refused ? `session ${refused.at_session} refused: ${refused.status} ${refused.code}` : (failed ?? "");
}
