// Runs another command of this program for an assistant: in a process of its own, which ends with the call.
import { spawn } from "node:child_process";
import { ToolError } from "../../../mcp/tool-error.ts";
import type { Environment } from "../../terminal/environment.ts";

/** What a command may write. */
const LIMIT_BYTES = 4_000_000;

export interface CommandHost {
  /** The folder that the command runs in. */
  cwd: string;
  environment: Environment;
  /** Whether what it prints is an answer, too, if it ends with an exit code: a check that found something missing.
   *  Default false. */
  isReport?: boolean;
}

interface CliFailure {
  error?: { code?: string; message?: string; hint?: string };
}

/** The object that `avatar … --json` prints, without the version of its shape. Throws ToolError for what the command
 *  reports, and the signal's reason. */
export async function runCommand(
  words: readonly string[],
  { cwd, environment, isReport = false }: CommandHost,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1], ...words, "--json"], {
    cwd,
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // It removes what it has half written.
  const end = () => child.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  // An assistant that goes away takes this process with it.
  process.once("exit", end);
  try {
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout, end),
      textOf(child.stderr, end),
      new Promise<number | null>((done, fail) => child.on("close", done).on("error", fail)),
    ]);
    signal.throwIfAborted();
    if (code !== 0 && !(isReport && stdout !== "")) throw failureOf(stderr);
    const { schema_version: _, ...answer } = JSON.parse(stdout) as Record<string, unknown>;
    return answer;
  } finally {
    signal.removeEventListener("abort", end);
    process.off("exit", end);
  }
}

async function textOf(stream: AsyncIterable<Buffer>, end: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > LIMIT_BYTES) end();
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function failureOf(stderr: string): ToolError {
  const line = stderr.trim().split("\n").at(-1) ?? "";
  try {
    const { error } = JSON.parse(line) as CliFailure;
    return new ToolError(error?.code ?? "FAILED", error?.message ?? "The command failed.", error?.hint);
  } catch {
    return new ToolError("FAILED", "The command failed.");
  }
}
