// Prints the metrics of `bench lip-sync`.
import type { Machine } from "../machine.ts";
import type { LipSyncMetrics, LipSyncRow } from "./lip-sync-bench.ts";

type Column = [title: string, cell: (row: LipSyncRow) => string];

const share = (value: number) => value.toFixed(2).replace(/^(-?)0\./, "$1.");

const COLUMNS: readonly Column[] = [
  ["system", (row) => row.system],
  ["input", (row) => row.input],
  ["accuracy", (row) => share(row.accuracy)],
  ["macro F1", (row) => share(row.macroF1)],
  ["P B M ±40", (row) => share(row.bilabialF1Within40Ms)],
  ["P B M ±80", (row) => share(row.bilabialF1Within80Ms)],
  ["F V", (row) => share(row.labiodentalF1)],
  ["opening r", (row) => share(row.opennessCorrelation)],
  ["offset ms", (row) => String(row.offsetMs)],
  ["CPU ms/s", (row) => row.cpuMsPerS.toFixed(row.cpuMsPerS < 100 ? 1 : 0)],
];

/** A table with notes. */
export function lipSyncTable(metrics: LipSyncMetrics, machine: Machine): string {
  const cells = [
    COLUMNS.map(([title]) => title),
    ...metrics.systems.map((row) => COLUMNS.map(([, cell]) => cell(row))),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) => {
    return row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ");
  });
  const { mouth, mouthWithText } = metrics;
  return [
    `${metrics.set}: ${metrics.clips} clips, ${metrics.seconds.toFixed(0)} s, ${metrics.languages.join(" ")}`,
    "",
    lines[0],
    widths.map((width) => "─".repeat(width)).join("  "),
    ...lines.slice(1),
    ...metrics.failures,
    "",
    `look-ahead ${metrics.lookAheadMs} ms; macro F1 with noise 15 dB below the speech ${share(metrics.macroF1At15DbNoise)}`,
    ...Object.entries(metrics.cost.costs).map(
      ([name, cost]) => `${name}: ${cost.cpu_ms} ms CPU a frame (least disturbed ${cost.least_disturbed_ms})`,
    ),
    mouthLine("mouth", mouth),
    mouthLine("mouth that knows its text", mouthWithText),
    "Peers are scored at their best offset, ours at 0. Accuracy and F1 are over six visible mouth groups.",
    `measured on ${machine.cpu} (${machine.cores} cores, load ${machine.load_average}), ${machine.system}, Node ${machine.node}`,
  ].join("\n");
}

function mouthLine(name: string, mouth: LipSyncMetrics["mouth"]): string {
  const { closures, closuresSeen, closuresSeenLessChance, jawTurnsPerS, singleFrameOpeningsPerMinute } = mouth;
  return (
    `${name}: shut within 60 ms for ${share(closuresSeen)} of ${closures} P, B and M (${share(closuresSeenLessChance)} above chance), ` +
    `${jawTurnsPerS.toFixed(1)} jaw reversals/s, ${singleFrameOpeningsPerMinute.toFixed(1)} single-frame openings/min`
  );
}
