// One line on a terminal that says what a command is doing, replaced as it goes on; nothing in scripts.
import { cutToColumns } from "./plain-text.ts";

export interface StatusLine {
  /** Replaces the line. */
  show(text: string): void;
  /** Removes the line. */
  clear(): void;
}

/** Where the terminal does not tell its width. */
const COLUMNS = 80;
const ERASE_LINE = "\r\u001b[2K";

/** On standard error, if that is a terminal and `isQuiet` is false. */
export function openStatusLine(isQuiet: boolean): StatusLine {
  if (isQuiet || !process.stderr.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    show: (text) => process.stderr.write(`${ERASE_LINE}${cutToColumns(text, (process.stderr.columns ?? COLUMNS) - 1)}`),
    clear: () => process.stderr.write(ERASE_LINE),
  };
}
