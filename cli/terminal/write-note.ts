/** Tells a person something beside a command's result: one line on standard error, so that results can be piped. */
export function writeNote(line: string): void {
  process.stderr.write(`${line}\n`);
}
