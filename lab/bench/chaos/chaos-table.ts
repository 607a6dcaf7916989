// The metrics of `npm run chaos` as a table for a terminal.
import { textTable } from "../../../cli/terminal/text-table.ts";
import type { ChaosMetrics, FaultMetrics } from "./chaos-metrics.ts";

/** Fault, outcome, time and goal, one row each. */
export function chaosTable({ subject, rows }: ChaosMetrics): string {
  const missed = rows.filter(({ is_reached }) => !is_reached).length;
  return [
    "",
    `  ${subject}`,
    textTable(
      ["fault", "times", "outcome", "p50 / p95", "reports", "goal", ""],
      rows.map((row) => [
        row.fault,
        String(row.times),
        outcomeOf(row),
        row.back_ms ? `${seconds(row.back_ms.p50)} / ${seconds(row.back_ms.p95)} s` : "–",
        `${row.reports_right} of ${row.times}`,
        row.goal,
        row.is_reached ? "reached" : "missed",
      ]),
    ),
    ...rows.flatMap(describeProblems),
    "",
    missed === 0 ? "  Every goal is reached." : `  ${missed} of ${rows.length} goals are missed.`,
    "",
  ].join("\n");
}

function outcomeOf({ not_back, longest_frame_gap_ms, audio_holes }: FaultMetrics): string {
  if (not_back > 0) return `${not_back} not back`;
  return longest_frame_gap_ms === undefined ? "back" : `${longest_frame_gap_ms} ms gap, ${audio_holes} holes`;
}

/** One line for a fault that left problems, or a session that is not live. */
function describeProblems({ fault, problems, status_after }: FaultMetrics): string[] {
  const all = [...problems, ...(status_after === "live" ? [] : [`the session is ${status_after}`])];
  return all.length === 0 ? [] : [`  ${fault}: ${all.join("; ")}`];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
