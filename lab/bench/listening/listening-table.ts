// Prints the metrics of `bench listening`.
import type { Machine } from "../machine.ts";
import type { ListeningMetrics, ListeningRow } from "./listening-bench.ts";

type Column = [title: string, cell: (row: ListeningRow) => string];

const percent = (part: number, whole: number) => `${Math.round((100 * part) / Math.max(1, whole))} %`;

const COLUMNS: readonly Column[] = [
  ["input", ({ input }) => input],
  ["face", ({ face }) => face],
  ["reactions", ({ score }) => String(score.reactions)],
  ["in time", ({ score }) => percent(score.inTime, score.reactions)],
  ["inside words", ({ score }) => percent(score.insideWords, score.reactions)],
  ["phrases answered", ({ score }) => percent(score.answered, score.ends)],
  ["least gap s", ({ score }) => (score.leastGapMs / 1000).toFixed(1)],
];

/** A table with notes. */
export function listeningTable(metrics: ListeningMetrics, machine: Machine): string {
  const cells = [
    COLUMNS.map(([title]) => title),
    ...metrics.rows.map((row) =>
      COLUMNS.map(([, cell]) => (row.face === "random" && cell === COLUMNS[6][1] ? "" : cell(row))),
    ),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join("  "),
  );
  const { alone } = metrics;
  return [
    `formant voices, ${metrics.seconds.toFixed(0)} s, ${metrics.languages.join(" ")}`,
    "",
    lines[0],
    widths.map((width) => "─".repeat(width)).join("  "),
    ...lines.slice(1),
    "",
    `sentences by themselves: brows after ${alone.browsAfterQuestions} of ${alone.questions} questions and ${alone.browsAfterStatements} of ${alone.statements} statements`,
    `detector: ${metrics.cpuMsPerS.toFixed(2)} ms CPU a second of audio, at most ${metrics.longestMs.toFixed(1)} ms at once`,
    "In time: the first frame that moves is at most 300 ms after the end of a phrase. Random: as many, at random times.",
    `measured on ${machine.cpu} (${machine.cores} cores, load ${machine.load_average}), ${machine.system}, Node ${machine.node}`,
    "",
  ].join("\n");
}
