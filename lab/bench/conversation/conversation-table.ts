// The metrics of `npm run bench -- conversation` as a table for a terminal.
import { textTable } from "../../../cli/terminal/text-table.ts";
import type { Machine } from "../machine.ts";
import { goalRows } from "./conversation-goals.ts";
import type { ConversationMetrics } from "./conversation-metrics.ts";

/** The goals and what was reached, then all metrics. */
export function conversationTable(metrics: ConversationMetrics, machine: Machine): string {
  const { cpu, cores, memory_gb, load_average } = machine;
  const rows = goalRows(metrics).map(({ what, measured, unit, goal, isMet }) => [
    what,
    measured === null ? "–" : `${Math.round(measured * 100) / 100} ${unit}`.trim(),
    `${goal} ${unit}`.trim(),
    isMet ? "" : "missed",
  ]);
  return [
    `\n  ${cpu}, ${cores} cores, ${memory_gb} GB, load ${load_average} before the run\n`,
    textTable(["conversation", "measured", "goal", ""], rows),
    `\n${JSON.stringify(metrics, null, 2)}\n`,
  ].join("\n");
}
