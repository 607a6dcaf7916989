// The figures of `npm run bench -- sdk` as a table for a terminal.
import { textTable } from "../../../cli/terminal/text-table.ts";
import type { Machine } from "../machine.ts";
import { type Figure, isReached } from "./figure.ts";

export function sdkTable(figures: readonly Figure[], { cpu, cores, memory_gb, load_average }: Machine): string {
  const rows = figures.map((figure) => {
    const { name, value, unit, goal, better } = figure;
    return [
      name,
      `${Number(value.toPrecision(3))} ${unit}`,
      `${better === "lower" ? "≤" : "≥"} ${goal} ${unit}`,
      isReached(figure) ? "" : "missed",
    ];
  });
  return [
    `\n  ${cpu}, ${cores} cores, ${memory_gb} GB, load ${load_average} before the run\n`,
    `${textTable(["sdk", "measured", "goal", ""], rows)}\n`,
  ].join("\n");
}
