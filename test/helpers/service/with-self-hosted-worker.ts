// A worker of a machine of its own, for the length of a callback: the real program, with nothing of the test's
// environment.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { waitFor } from "../wait-for.ts";
import { testProgram } from "./built-programs.ts";

const START_TIMEOUT_MS = 90_000;

export interface SelfHostedWorker {
  pid: number;
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  /** Lines that it has logged so far. */
  log: string[];
  /** Resolves with its exit status. */
  exited: Promise<number | null>;
}

export interface SelfHostedWorkerOptions {
  dataDir: string;
  /** By how much its clock is off, and that of its session processes, ms. Default 0. */
  clockOffMs?: number;
  environment: Record<string, string>;
}

/** Gives `work` a worker that listens, ready or not, and ends it with all its processes afterwards. */
export async function withSelfHostedWorker<T>(
  { dataDir, clockOffMs = 0, environment }: SelfHostedWorkerOptions,
  work: (worker: SelfHostedWorker) => Promise<T>,
): Promise<T> {
  const clock = join(dataDir, "clock.mjs");
  await writeFile(clock, shiftedClock(clockOffMs));
  const { script, nodeFlags } = await testProgram("self-hosted-worker");
  const child = spawn(process.execPath, [...nodeFlags, script], {
    // A separate process group, so that session processes that outlive their worker can be ended, too.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_OPTIONS: `--import=${pathToFileURL(clock).href}`,
      AVATAR_WORKER_PORT: "0",
      AVATAR_DATA_DIR: dataDir,
      AVATAR_LOG_LEVEL: "debug",
      // The load of other tests must not decide how many sessions a test may start.
      AVATAR_ADMISSION: "fixed",
      AVATAR_VOICE: "formant",
      AVATAR_FIND_MODEL: "0",
      ...environment,
    },
  });
  const exited = once(child, "exit").then(([status]) => status as number | null);
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => log.push(...text.split("\n").filter(Boolean)));
  }
  try {
    const isThere = () =>
      log.map((line) => /worker listening/.test(line) && /"port":(\d+)/.exec(line)?.[1]).find(Boolean);
    const port = await waitFor(isThere, `the worker's port; it said:\n${log.join("\n")}`, START_TIMEOUT_MS);
    return await work({ pid: child.pid!, baseUrl: `http://127.0.0.1:${port}`, log, exited });
  } catch (error) {
    // Without this output a failure on another machine cannot be explained.
    console.error(log.slice(-40).join("\n"));
    throw error;
  } finally {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // The whole group has already ended.
    }
    await exited;
  }
}

function shiftedClock(byMs: number): string {
  return `const Real = Date;
globalThis.Date = class extends Real {
  constructor(...parts) {
    if (parts.length > 0) super(...parts);
    else super(Real.now() + ${byMs});
  }
  static now() {
    return Real.now() + ${byMs};
  }
};
`;
}
