// A table as a CSV file (RFC 4180), for spreadsheets and programs.

/** Cells that a spreadsheet would run as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

/** Rows of cells; numbers are written with a point. A text that a spreadsheet would take for a formula gets an
 *  apostrophe in front. */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
