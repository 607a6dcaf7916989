// The metrics of a fleet as tables for a terminal.
import { textTable } from "../../../cli/terminal/text-table.ts";
import type { Machine } from "../machine.ts";
import type { FleetFault, FleetMetrics } from "./fleet-metrics.ts";

/** How sessions were spread, and one row for each fault. */
export function fleetTable(metrics: FleetMetrics, machine: Machine): string {
  const { subject, nodes, apis, workers, has_bucket, max_fps, faults } = metrics;
  const missed = faults.filter(({ is_reached }) => !is_reached).length;
  return [
    "",
    `  ${subject}`,
    `  ${machine.cpu}, ${machine.cores} cores; ${nodes} LiveKit nodes, ${apis} api processes, ${workers.length} workers, ` +
      `${has_bucket ? "a bucket" : "a folder"}; ${max_fps} fps`,
    "",
    "  How sessions were spread",
    textTable(
      ["worker", "measured capacity", "sessions"],
      workers.map(({ worker, capacity, sessions }) => [String(worker), String(capacity), String(sessions)]),
    ),
    "",
    "  What viewers and clients noticed (times in s; failed requests: besides those that the killed process was answering)",
    textTable(
      [
        "fault",
        "sessions",
        "away",
        "longest",
        "others: gap",
        "holes",
        "requests",
        "cut",
        "failed",
        "next start",
        "goal",
        "",
      ],
      faults.map(faultCells),
    ),
    "",
    missed === 0 ? "  Every goal is reached." : `  ${missed} of ${faults.length} goals are missed.`,
    "",
  ].join("\n");
}

function faultCells(row: FleetFault): string[] {
  const { sent, cut, failed } = row.requests;
  return [
    row.fault,
    String(row.sessions),
    row.not_back > 0 ? `${row.seen}, ${row.not_back} not back` : String(row.seen),
    row.away_ms ? seconds(row.away_ms.max) : "–",
    seconds(row.longest_gap_ms),
    String(row.audio_holes),
    ...[sent, cut, failed].map(String),
    row.next_start_ms === null ? "none" : seconds(row.next_start_ms),
    row.goal,
    row.is_reached ? "reached" : "missed",
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
