// The metrics of `npm run bench -- scale --local` as a table for a terminal.
import { textTable } from "../../../../cli/terminal/text-table.ts";
import type { Machine } from "../../machine.ts";
import { SENT_SAMPLE_RATE_HZ } from "../../speech.ts";
import { LOCAL_GOALS, type LocalRow, type LocalScaleMetrics } from "./local-metrics.ts";

const HEAD = [
  "sessions",
  "at once",
  "CPU each",
  "own process",
  "MB",
  "processes",
  "kbit/s",
  "motion fps",
  "packets/s",
  "visemes",
  "audio",
  "holes",
  "gap ms",
  "spoken",
  "missed goals",
];

const BITS = 16;
const PUSHED_KBPS = (SENT_SAMPLE_RATE_HZ * BITS) / 1000;

/** Everything that was measured. CPU in percent of one core, audio latency as p50 / p95 in ms. */
export function localScaleTable(metrics: LocalScaleMetrics, { cpu, cores, memory_gb }: Machine): string {
  const { subject, load_average: load, idle_cpu_percent, rows } = metrics;
  const { cpu: most, unwatchedCpu, memoryMb, kbps, visemes, audioP95Ms } = LOCAL_GOALS;
  const lines = [
    `  ${cpu}, ${cores} cores, ${memory_gb} GB, load ${load.before} before and ${load.after} after the run`,
    `  ${subject}; its idle workers take ${idle_cpu_percent} % of a core, which is not in "CPU each"`,
    "",
    textTable(HEAD, rows.map(cells)),
    "",
    `  Goals: viewers render: CPU ≤ ${most} %, ≤ ${memoryMb} MB, ≤ ${kbps} kbit/s, visemes ≥ ${visemes}, audio p95 ≤ ${audioP95Ms} ms, no hole;` +
      ` streamed without a viewer: CPU ≤ ${unwatchedCpu} %. In brackets: with the headers of UDP and IP.`,
    `  Everyone in a room also receives the speech that its sender pushes (${PUSHED_KBPS} kbit/s of PCM), so "viewers render, speaking" has no goal of kbit/s.`,
  ];
  return `\n${lines.join("\n")}\n`;
}

function cells(row: LocalRow): string[] {
  const { name, sessions, failed, cpu, kbps, audio_ms: audio, missed } = row;
  if (!cpu) return [name, String(sessions), ...new Array<string>(HEAD.length - 3).fill("–"), failed ?? ""];
  return [
    name,
    String(sessions),
    cpu.per_session.toFixed(1),
    cpu.processes_per_session.toFixed(1),
    row.memory_per_session_mb?.toFixed(0) ?? "–",
    String(row.processes ?? "–"),
    kbps ? `${kbps.received.toFixed(0)} (${kbps.with_headers.toFixed(0)})` : "–",
    row.motion_fps?.toFixed(1) ?? "–",
    row.motion_packets_per_s?.toFixed(1) ?? "–",
    row.visemes?.all.toFixed(3) ?? "–",
    audio ? `${Math.round(audio.p50)} / ${Math.round(audio.p95)}` : "–",
    String(row.audio_holes ?? "–"),
    String(row.longest_audio_gap_ms ?? "–"),
    row.spoken?.toFixed(2) ?? "–",
    missed.join(", ") || "none",
  ];
}
