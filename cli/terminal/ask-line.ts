import { createInterface } from "node:readline/promises";

/** The line that a person types after `question`; for terminals only. */
export async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // In a terminal of its own, readline takes Ctrl-C.
  lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}
