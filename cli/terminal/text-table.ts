// A table for a terminal.

/** Lines of a table with a rule under its head. The first column is aligned to the left, the others as `others` says:
 *  to the right by default, as numbers are read. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  others: "left" | "right" = "right",
): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => (column === 0 || others === "left" ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join("  ")}`;
  const rule = `  ${widths.map((width) => "─".repeat(width)).join("  ")}`;
  return [line(head), rule, ...rows.map(line)].map((each) => each.trimEnd()).join("\n");
}
