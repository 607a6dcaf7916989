// CPU of the parts of a service and of a benchmark's helpers over a span of time, in percent of one core.
import { cpuBetween, type ProcessCpu, readProcesses } from "../cpu-time.ts";
import { partsOf, type ServicePart, type ServiceProcesses } from "./find-service-processes.ts";

/** Percent of one core, by part and by helper group. */
export type CpuShares = Record<ServicePart, number> & { helpers: Record<string, number> };

/** Starts measuring. The returned function ends it. `helpers`: process ids by group. */
export async function startCpuMeter(
  processes: ServiceProcesses,
  helpers: Readonly<Record<string, readonly number[]>> = {},
): Promise<() => Promise<CpuShares>> {
  const before = await readProcesses();
  const startedMs = performance.now();
  return async () => {
    const after = await readProcesses();
    const spanMs = performance.now() - startedMs;
    const share = (now: readonly ProcessCpu[]) => Math.round((cpuBetween(before, now) / spanMs) * 1000) / 10;
    const parts = partsOf(after, processes);
    const groups = Object.entries(helpers).map(([name, pids]) => [
      name,
      share(after.filter(({ pid }) => pids.includes(pid))),
    ]);
    return {
      service: share(parts.service),
      start: share(parts.start),
      api: share(parts.api),
      relay: share(parts.relay),
      livekit: share(parts.livekit),
      postgres: share(parts.postgres),
      helpers: Object.fromEntries(groups),
    };
  };
}
