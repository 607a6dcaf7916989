// A table for a terminal.
import { columnsOf } from "./plain-text.ts";

/** Lines of a table with a rule under its head. The first column is aligned to the left, the others as `others` says:
 *  to the right by default, as numbers are read; or those to the right that a list names. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  others: "left" | "right" | readonly number[] = "right",
): string {
  const widths = head.map((title, column) => Math.max(...[title, ...rows.map((row) => row[column])].map(columnsOf)));
  const isRight = (column: number) =>
    typeof others === "string" ? others === "right" && column > 0 : others.includes(column);
  const pad = (cell: string, column: number) => {
    const blanks = " ".repeat(widths[column] - columnsOf(cell));
    return isRight(column) ? blanks + cell : cell + blanks;
  };
  const line = (cells: readonly string[]) => `  ${cells.map(pad).join("  ")}`;
  const rule = `  ${widths.map((width) => "─".repeat(width)).join("  ")}`;
  return [line(head), rule, ...rows.map(line)].map((each) => each.trimEnd()).join("\n");
}

/** As `textTable`; in a terminal that is too narrow for it, a block of lines for each row instead. `columns`: its
 *  width; undefined where there is no terminal. */
export function fittingTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { right = [], columns = process.stdout.columns }: { right?: readonly number[]; columns?: number } = {},
): string {
  const table = textTable(head, rows, right);
  if (columns === undefined || table.split("\n").every((line) => columnsOf(line) <= columns)) return table;
  const width = Math.max(...head.map(columnsOf));
  const block = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell : `  ${head[column].padEnd(width)}  ${cell}`.trimEnd()))
      .filter((_, column) => column === 0 || row[column] !== "")
      .join("\n");
  return rows.map(block).join("\n\n");
}
