// A whole service for the duration of a benchmark: `npm start` of a checkout, on free ports and with its own data
// folder.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ServiceClient } from "../../../cli/service/service-client.ts";
import { readEnvFile } from "../../../cli/start/env-file.ts";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import type { LiveKitAddress } from "../../../cli/start/service/given-servers.ts";

export interface DrivenService {
  client: ServiceClient;
  apiSecret: string;
  livekit: LiveKitAddress;
  /** Agent of the avatar that is launched. */
  agentCode: string;
  /** Data folder if it was started for this run, else null. */
  dataDir: string | null;
  /** Stops what was started for this run, and removes its data. Idempotent. */
  close(): Promise<void>;
}

export interface OwnServiceOptions {
  /** Like `process.env`. Its addresses of servers and its data folder are not used. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the checkout to start. Default: this one. */
  checkout?: string;
  /** Receives a line for each of the service's notes. */
  report(line: string): void;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The first start bakes the demo agent. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;
/** Settings that would lead to servers or data of another service. */
const NOT_PASSED_ON = ["DATABASE_URL", "HOST", "PUBLIC_URL", "AVATAR_API_URL", "AVATAR_OPERATOR_SECRET"];
/** More than any machine of today holds: the benchmark finds the limit itself. */
const MAX_SESSIONS = "16";

/** Starts the service and resolves when it is ready. Throws Error with its last output otherwise. */
export async function startOwnService(options: OwnServiceOptions): Promise<DrivenService> {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-bench-"));
  // PostgreSQL may have to run as another user, who must get in.
  await chmod(dataDir, 0o711);
  const inherited = Object.entries(options.environment).filter(
    ([key]) => !NOT_PASSED_ON.includes(key) && !key.startsWith("LIVEKIT_"),
  );
  const checkout = resolve(options.checkout ?? ROOT);
  const child = spawn(process.execPath, ["--import", "tsx", "cli/start.ts", "--json"], {
    cwd: checkout,
    // Ctrl-C in the terminal reaches only the benchmark, which then stops the service.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      AVATAR_MAX_SESSIONS: MAX_SESSIONS,
      ...(await newerSettings(checkout)),
      ...Object.fromEntries(inherited),
      AVATAR_DATA_DIR: dataDir,
      AVATAR_WORKER_PORT: "0",
      PORT: String(await findFreePort()),
    },
  });
  const exited = once(child, "exit");
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= stop(child, exited)
      .then(() => rm(dataDir, { recursive: true, force: true }))
      .finally(() => forget(close));
    return closing;
  };
  keep(close);
  try {
    const links = await readLinks(child, options.report);
    const operator = await readEnvFile(links.operator_secret_file);
    const livekit = await readEnvFile(join(dataDir, "livekit.env"));
    const apiSecret = operator.AVATAR_OPERATOR_SECRET;
    return {
      client: new ServiceClient({ baseUrl: links.url, apiSecret }),
      apiSecret,
      livekit: { url: livekit.LIVEKIT_URL, apiKey: livekit.LIVEKIT_API_KEY, apiSecret: livekit.LIVEKIT_API_SECRET },
      agentCode: links.demo_agent,
      dataDir,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Of the services that run. */
const closings = new Set<() => Promise<void>>();

function keep(close: () => Promise<void>): void {
  if (closings.size === 0) for (const signal of SIGNALS) process.on(signal, stopAll);
  closings.add(close);
}

function forget(close: () => Promise<void>): void {
  if (closings.delete(close) && closings.size === 0) for (const signal of SIGNALS) process.off(signal, stopAll);
}

/** Services outlive a run that is interrupted, because they are detached. A run that listens itself ends by itself. */
function stopAll(signal: NodeJS.Signals): void {
  const isAlone = process.listenerCount(signal) === 1;
  void Promise.allSettled([...closings].map((close) => close())).finally(() => {
    if (isAlone) process.exit(130);
  });
}

/** A worker must take sessions beyond its measured capacity, to show what they do; a relay needs a port of its own.
 *  Older commits refuse these settings. */
async function newerSettings(checkout: string): Promise<NodeJS.ProcessEnv> {
  const settings = await readFile(join(checkout, ".env.example"), "utf8").catch(() => "");
  return {
    ...(settings.includes("AVATAR_ADMISSION=") && { AVATAR_ADMISSION: "fixed" }),
    ...(settings.includes("AVATAR_RELAY_PORT=") && { AVATAR_RELAY_PORT: "0" }),
  };
}

/** The line of JSON that the start command prints when everything is ready. */
async function readLinks(child: ChildProcess, report: (line: string) => void): Promise<Record<string, string>> {
  let [output, errors] = ["", ""];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4000);
    for (const line of text.split("\n").filter(Boolean)) report(line.trim());
  });
  return new Promise((settle, reject) => {
    const fail = (why: string) => reject(new Error(`the service ${why}:\n${errors}`));
    const timer = setTimeout(() => fail("was not ready in time"), START_TIMEOUT_MS);
    child.once("error", reject);
    child.once("exit", () => fail("could not be started"));
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const line = output.split("\n").find((each) => each.startsWith("{"));
      if (!line || !output.includes("\n")) return;
      clearTimeout(timer);
      settle(JSON.parse(line) as Record<string, string>);
    });
  });
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGINT");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
