// Time from a launch request to the first frame, with a process ready and without.
import { setTimeout as delay } from "node:timers/promises";
import { cpuBetween, readProcesses } from "../cpu-time.ts";
import { summarize } from "../percentile.ts";
import { partsOf, type ServiceProcesses } from "../service/find-service-processes.ts";
import type { DrivenService } from "../service/own-service.ts";
import { closeSession, type OpenedSession, openSession } from "../service/session-opener.ts";
import { waitUntilAsync } from "../service/wait-until-async.ts";
import type { ScaleClients } from "./scale-clients.ts";
import type { StartMetrics } from "./scale-metrics.ts";

export interface StartOptions {
  service: DrivenService;
  processes: ServiceProcesses;
  clients: ScaleClients;
  /** Pairs of launches. */
  starts: number;
}

const FIRST_FRAME_TIMEOUT_MS = 30_000;
/** A worker that used less than this share of a core for this long makes no process ready any more. */
const QUIET_SHARE = 0.05;
const QUIET_MS = 1000;
const QUIET_TIMEOUT_MS = 30_000;

/** Launches pairs: the first finds a process ready, the second follows directly, so that one must be made. */
export async function measureStarts(options: StartOptions): Promise<StartMetrics> {
  const [warm, cold]: number[][] = [[], []];
  for (let index = 0; index < options.starts; index++) {
    await waitUntilQuiet(options.processes);
    const { service, clients } = options;
    const opened: OpenedSession[] = [];
    try {
      for (const times of [warm, cold]) {
        const session = await openSession(service, clients.judge, clients.senders);
        opened.push(session);
        times.push((await firstFrameAtMs(session.id, clients)) - session.requestedAtMs);
      }
    } finally {
      for (const session of opened) await closeSession(service, session, clients.senders);
    }
  }
  return { warm_ms: summarize(warm), cold_ms: summarize(cold) };
}

/** Waits until the workers are idle, at most 30 s. */
export async function waitUntilQuiet(processes: ServiceProcesses): Promise<void> {
  const deadline = performance.now() + QUIET_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const before = await readProcesses();
    await delay(QUIET_MS);
    const { service } = partsOf(await readProcesses(), processes);
    if (cpuBetween(before, service) < QUIET_SHARE * QUIET_MS) return;
  }
}

/** When the first frame of a room arrived, shared clock. Throws Error if none comes in 30 s. */
export async function firstFrameAtMs(id: string, clients: ScaleClients): Promise<number> {
  let atMs: number | null = null;
  const hasArrived = async () => {
    atMs = await clients.judge.process.call("firstFrameAtMs", { id });
    return atMs !== null;
  };
  await waitUntilAsync(hasArrived, "a frame arrives", FIRST_FRAME_TIMEOUT_MS);
  return atMs ?? 0;
}
