// The form in which commands answer scripts.

/** Writes one object on standard output, marked with the version of its shape. */
export function writeJson(value: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ schema_version: 1, ...value })}\n`);
}
