// Runs a program and collects its output.
import { spawn } from "node:child_process";

export interface RunCommandOptions {
  /** User and group to run as; default this process's own. */
  uid?: number;
  gid?: number;
  cwd?: string;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Ends the program (SIGKILL) when it takes longer. Default 60,000. */
  timeoutMs?: number;
  /** Ends the program when aborted. */
  signal?: AbortSignal;
  /** How long an aborted program may tidy up after SIGTERM, before SIGKILL. Default 0: SIGKILL at once. */
  graceMs?: number;
  /** Called for each line of either output as it appears. */
  onLine?: (line: string) => void;
}

export interface CommandResult {
  /** Exit status; null when a signal or the timeout ended it, or when it could not be started. */
  status: number | null;
  /** Both outputs, interleaved, at most the last 64 KiB. */
  output: string;
}

const KEPT_OUTPUT_CHARACTERS = 65_536;
/** A program that starts a daemon keeps the pipes open: wait only this long for output after its exit. */
const OUTPUT_GRACE_MS = 250;

/** Runs a program; its standard input is empty. Never throws: a program that cannot be started has status null and says
 *  why in `output`. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: RunCommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    let output = "";
    let unfinishedLine = "";
    let settled = false;
    const child = spawn(file, args, {
      uid: options.uid,
      gid: options.gid,
      cwd: options.cwd,
      env: options.env,
      // Own process group: Ctrl-C must not interrupt pg_ctl, and stopping a compiler stops its children.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const end = () => endGroup(child.pid, "SIGKILL");
    const timeout = setTimeout(end, options.timeoutMs ?? 60_000);
    let grace: NodeJS.Timeout | undefined;
    const stop = () => {
      if (!options.graceMs) return end();
      endGroup(child.pid, "SIGTERM");
      grace = setTimeout(end, options.graceMs);
    };
    options.signal?.addEventListener("abort", stop, { once: true });
    const settle = (status: number | null) => {
      if (settled) return;
      settled = true;
      clearTimeout(timeout);
      clearTimeout(grace);
      options.signal?.removeEventListener("abort", stop);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ status, output });
    };
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT_CHARACTERS);
      if (!options.onLine) return;
      const lines = (unfinishedLine + chunk.toString()).split("\n");
      unfinishedLine = lines.pop() ?? "";
      for (const line of lines) options.onLine(line);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", (error) => {
      output += error.message;
      settle(null);
    });
    child.once("close", (status) => settle(status));
    child.once("exit", (status) => setTimeout(settle, OUTPUT_GRACE_MS, status));
  });
}

function endGroup(pid: number | undefined, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
