// A real avatar worker process on a LiveKit server, for the length of a callback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { LiveKitAccess } from "../livekit/use-livekit.ts";
import { waitFor } from "../wait-for.ts";
import { testPrograms } from "./built-programs.ts";

const START_TIMEOUT_MS = 60_000;

export interface TestWorker {
  pid: number;
  /** `http://127.0.0.1:…` of its health server. */
  baseUrl: string;
  /** Lines that it has logged so far. */
  log: string[];
  /** Sends a signal and resolves when the process has ended. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface WithWorkerOptions {
  livekit: LiveKitAccess;
  environment?: Record<string, string>;
}

/** Gives `work` a worker that is registered, and ends it with all its session processes afterwards. */
export async function withWorker<T>(options: WithWorkerOptions, work: (worker: TestWorker) => Promise<T>): Promise<T> {
  const { url, apiKey, apiSecret, dispatchName } = options.livekit;
  const { script, nodeFlags } = (await testPrograms()).worker;
  const child = spawn(process.execPath, [...nodeFlags, script], {
    // A separate process group, so that session processes that outlive their worker can be ended, too.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LIVEKIT_URL: url,
      LIVEKIT_API_KEY: apiKey,
      LIVEKIT_API_SECRET: apiSecret,
      AVATAR_DISPATCH_NAME: dispatchName,
      AVATAR_WORKER_PORT: "0",
      AVATAR_LOG_LEVEL: "debug",
      // The load of other tests must not decide how many sessions a test may start.
      AVATAR_ADMISSION: "fixed",
      ...options.environment,
    },
  });
  const exited = once(child, "exit");
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => log.push(...text.split("\n").filter(Boolean)));
  }
  try {
    const baseUrl = await waitFor(
      () => findPort(log),
      `the worker's port; it said:\n${log.join("\n")}`,
      START_TIMEOUT_MS,
    );
    const isReady = () => fetch(`${baseUrl}/ready`).then(({ ok }) => ok);
    await waitFor(isReady, "the worker is registered", START_TIMEOUT_MS);
    return await work({
      pid: child.pid!,
      baseUrl,
      log,
      stop: async (signal) => {
        child.kill(signal);
        await exited;
      },
    });
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

function findPort(log: string[]): string | undefined {
  for (const line of log) {
    const port = /"port":(\d+)/.exec(line)?.[1];
    if (port && line.includes("worker listening")) return `http://127.0.0.1:${port}`;
  }
  return undefined;
}
