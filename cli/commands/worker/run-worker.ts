// Builds the self-hosted worker, runs it, and passes signals on until it has ended.
import { spawn } from "node:child_process";
import { PART_NAMES } from "../../../program/parts/parts.ts";
import { buildSelfHostedWorker } from "../../start/build/build-programs.ts";
import { stopCompiler } from "../../start/build/bundle.ts";
import { THREAD_POOL } from "../../start/processes/thread-pool.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { needParts } from "../parts/need-parts.ts";

/** It bakes, speaks and listens, and serves no pages. */
const PARTS_OF_WORKER = PART_NAMES.filter((name) => name !== "pages");

export interface WorkerRequest {
  apiUrl?: string;
  host?: string;
  port?: string;
  public?: boolean;
  maxSessions?: string;
  idleTimeout?: string;
  dataDir?: string;
  json?: boolean;
}

type WorkerMessage = { type: "listening"; port: number } | { type: "refused"; reason: string };

/** Resolves when the worker has ended because it was told to. Throws CliError `usage` if its settings or its secret are
 *  refused, `generic` if it fails later. */
export async function runWorker(request: WorkerRequest, environment: Environment): Promise<void> {
  const settings = settingsOf(request, environment);
  await needParts(environment, ...PARTS_OF_WORKER);
  const { script, nodeFlags } = await buildSelfHostedWorker();
  // This command runs as long as the worker.
  await stopCompiler();
  const child = spawn(process.execPath, [...nodeFlags, script], {
    env: settings,
    // Standard output belongs to this command; the worker writes its log to standard error.
    stdio: ["ignore", process.stderr, process.stderr, "ipc"],
    // Ctrl-C in a terminal reaches the whole group: the worker should get it once, from here.
    detached: true,
  });
  let refusal: string | undefined;
  let isTold = false;
  child.on("message", (message: WorkerMessage) => {
    if (message.type === "refused") refusal = message.reason;
    else announce(settings.HOST || "127.0.0.1", message.port, child.pid, request.json === true);
  });
  const pass = (signal: NodeJS.Signals): void => {
    isTold = true;
    child.kill(signal);
  };
  process.on("SIGINT", pass).on("SIGTERM", pass);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("exit", resolve);
  });
  process.off("SIGINT", pass).off("SIGTERM", pass);
  if (refusal !== undefined) throw new CliError("usage", refusal, { hint: "avatar worker --help lists the settings." });
  if (!isTold || status !== 0) throw new CliError("generic", `The worker ended with status ${status}.`);
}

function announce(host: string, port: number, pid: number | undefined, isJson: boolean): void {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (isJson) writeJson({ host, port, url, pid });
  else process.stdout.write(`Worker on ${url}: POST /launch starts an avatar, GET /ready says whether it can.\n`);
}

/** Options win over the environment. */
function settingsOf(request: WorkerRequest, environment: Environment): NodeJS.ProcessEnv {
  const given = {
    AVATAR_API_URL: request.apiUrl,
    HOST: request.host,
    AVATAR_WORKER_PORT: request.port,
    AVATAR_WORKER_PUBLIC: request.public ? "1" : undefined,
    MAX_SESSIONS: request.maxSessions,
    SESSION_IDLE_TIMEOUT: request.idleTimeout,
    AVATAR_DATA_DIR: request.dataDir,
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...THREAD_POOL, ...environment, ...Object.fromEntries(set) };
}
