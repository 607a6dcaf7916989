// The api as a separate process, for tests that need several processes or kill one.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { testPrograms } from "./built-programs.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Loading the program takes long on a busy machine. */
const START_TIMEOUT_MS = 300_000;
const POLL_MS = 50;

export interface ApiProcess {
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  /** Kills it with signal 9 and waits until it has ended. */
  kill(): Promise<void>;
  /** Ends it gracefully. */
  close(): Promise<void>;
}

export interface ApiProcessOptions {
  databaseUrl: string;
  dataDir: string;
  /** More environment, for example `AVATAR_NOW`. */
  environment?: Record<string, string>;
  /** Default: a free one. */
  port?: number;
}

/** Starts the api as `npm start` does and waits until it answers. Throws Error with its output if it ends first. */
export async function startApiProcess(options: ApiProcessOptions): Promise<ApiProcess> {
  const port = options.port ?? (await findFreePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const { script, nodeFlags } = (await testPrograms()).api;
  const child = spawn(process.execPath, [...nodeFlags, script], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: options.databaseUrl,
      AVATAR_DATA_DIR: options.dataDir,
      PORT: String(port),
      LIVEKIT_URL: "ws://127.0.0.1:9",
      LIVEKIT_API_KEY: "none",
      LIVEKIT_API_SECRET: "none".repeat(8),
      AVATAR_LOG_LEVEL: "warn",
      AVATAR_IDENTITY_CLIPS: "0",
      ...options.environment,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
    });
  }
  // The child ends when its parent ends, for whatever reason.
  const follow = () => child.kill("SIGKILL");
  process.once("exit", follow);
  child.once("exit", () => process.off("exit", follow));
  await waitUntilServing(child, baseUrl, () => output);
  return { baseUrl, kill: () => end(child, "SIGKILL"), close: () => end(child, "SIGTERM") };
}

async function waitUntilServing(child: ChildProcess, baseUrl: string, output: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (answer?.ok) return;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the api did not start:\n${output()}`);
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`the api does not answer at ${baseUrl}:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
