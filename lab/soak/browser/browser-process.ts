// The process of a headless browser that is steered through a port of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartError } from "../../../cli/start/start-error.ts";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

export interface BrowserProgram {
  path: string;
  /** Its arguments, with the folder of a new profile. */
  words(profile: string): readonly string[];
  /** Finds the address in what it says when it is ready. */
  address: RegExp;
  /** Called before it starts. */
  prepare?(profile: string): Promise<void>;
}

/** Gives `work` the address by which the browser is steered, and ends it afterwards. Throws StartError with its words
 *  if it does not start within a minute. */
export async function withBrowserProcess<T>(
  program: BrowserProgram,
  work: (address: string) => Promise<T>,
): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), "open-avatar-service-browser-"));
  await program.prepare?.(profile);
  // A group of its own, so that nothing of it outlives this run.
  const child = spawn(program.path, [...program.words(profile)], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  try {
    return await work(await readAddress(child, program));
  } finally {
    await stop(child, exited);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function readAddress(child: ChildProcess, { path, address }: BrowserProgram): Promise<string> {
  return new Promise((resolve, reject) => {
    let errors = "";
    const fail = () => reject(new StartError(`${path} did not start.`, errors.slice(-1000)));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    child.once("error", reject);
    child.once("exit", fail);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-4000);
      const found = address.exec(errors)?.[1];
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.pid === undefined) return;
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // It has ended.
    }
  };
  if (child.exitCode === null && child.signalCode === null) kill("SIGTERM");
  const timer = setTimeout(() => kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
  kill("SIGKILL");
}
