// Checks of a machine as lines for a terminal.

export interface DescribedCheck {
  name: string;
  state: string;
  found: string;
  remedy?: string;
}

const GAP = 2;
/** Columns that a text is wrapped at where there is no terminal. */
const DEFAULT_COLUMNS = 100;
const LEAST_TEXT_COLUMNS = 30;

/** A line for each check, with its remedy below, wrapped to `columns` (default: those of the terminal). */
export function describeChecks(
  checks: readonly DescribedCheck[],
  columns = process.stdout.columns ?? DEFAULT_COLUMNS,
): string {
  const stateWidth = Math.max(...checks.map(({ state }) => state.length)) + GAP;
  const nameWidth = Math.max(...checks.map(({ name }) => name.length)) + GAP;
  const beside = GAP + stateWidth + nameWidth;
  const isNarrow = columns - beside < LEAST_TEXT_COLUMNS;
  const indent = " ".repeat(isNarrow ? 2 * GAP : beside);
  const width = Math.max(LEAST_TEXT_COLUMNS, Math.min(columns, DEFAULT_COLUMNS) - indent.length);
  const lines = checks.flatMap(({ name, state, found, remedy = "" }) => {
    const head = `  ${state.padEnd(stateWidth)}${name.padEnd(nameWidth)}`;
    const [first = "", ...more] = wrap(found, width);
    const own = isNarrow ? [head.trimEnd(), `${indent}${first}`] : [`${head}${first}`];
    return [...own, ...[...more, ...wrap(remedy, width)].map((line) => indent + line)];
  });
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** None for an empty text. */
function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter((each) => each !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
