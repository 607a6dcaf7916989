// Runs a flood in a process of its own, at the lowest CPU priority: what it costs is not taken from the service.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../cli/start/build/bundle.ts";
import type { FloodReport } from "./flood.ts";
import type { FloodOrder } from "./flood-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-soak");
const LOWEST_PRIORITY = "19";
const START_TIMEOUT_MS = 60_000;
/** A flood that has not ended this long after its time is killed. */
const END_TIMEOUT_MS = 30_000;
let built: Promise<unknown> | undefined;

export interface RunningFlood {
  readonly pid: number;
  /** Starts the flood; resolves when it is over. Never rejects: what went wrong is a violation. */
  run(order: FloodOrder): Promise<FloodReport>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Starts the process; the flood begins with `run`. Rejects with Error if it does not start. */
export async function startFlood(): Promise<RunningFlood> {
  built ??= bundle({
    entries: { flood: join(ROOT, "lab/soak/hostile-input/flood-process.ts") },
    outFolder: OUT_FOLDER,
  });
  await built;
  const child = spawn("nice", ["-n", LOWEST_PRIORITY, process.execPath, join(OUT_FOLDER, "flood.mjs")], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const close = () => end(child);
  try {
    await once(child, "message", { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  } catch (cause) {
    await close();
    throw new Error("the process of the flood did not start", { cause });
  }
  return {
    pid: child.pid ?? 0,
    close,
    async run(order) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), order.seconds * 1000 + END_TIMEOUT_MS);
      const ended = once(child, "exit", { signal: limit.signal }).then(() => [failed("its process ended")]);
      try {
        child.send(order);
        const [report] = await Promise.race([once(child, "message", { signal: limit.signal }), ended]);
        return report as FloodReport;
      } catch {
        return failed("it did not end");
      } finally {
        clearTimeout(timer);
        limit.abort();
        ended.catch(() => undefined);
        await close();
      }

      function failed(why: string): FloodReport {
        return { sent: {}, sentBytes: 0, answers: {}, violations: [`${order.name}: ${why}`] };
      }
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
