// Reads the files of backups of format 1: each row is a JSON array of texts and nulls, each job a JSON object.
import { readLines } from "./compressed-lines.ts";

/** The lines as COPY reads them. Source of the escapes: PostgreSQL's manual, COPY, text format. */
export async function* readFormat1(path: string): AsyncGenerator<string> {
  for await (const line of readLines(path)) {
    const values: unknown[] = Object.values(JSON.parse(line));
    yield `${values.map(toCopyValue).join("\t")}\n`;
  }
}

/** Payload and flags of a job are JSON of their own. */
function toCopyValue(value: unknown): string {
  if (value === null) return "\\N";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
