// Reads a secret from standard input without showing it.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CliError } from "./cli-error.ts";
import { readStandardInput } from "./read-standard-input.ts";

const MAX_BYTES = 4096;

/** The first line of standard input. In a terminal, asks for it with `question` and shows no letter. Throws
 *  CliError(usage) if there is no text or too much of it. */
export async function readSecret(question: string): Promise<string> {
  const text = process.stdin.isTTY ? await askHidden(question) : await readStandardInput(MAX_BYTES);
  const line = text.trim();
  if (line === "") throw new CliError("usage", "Standard input has no secret.");
  return line;
}

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  // In a terminal of its own, readline takes Ctrl-C.
  lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
