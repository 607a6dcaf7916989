// CPU and memory of the sessions that run now.
import { startCpuMeter } from "../../service/cpu-meter.ts";
import type { ServiceProcesses } from "../../service/find-service-processes.ts";
import { readPssMb } from "../../service/memory.ts";
import { findSessionPids } from "../../service/session-pids.ts";
import type { LocalRow } from "./local-metrics.ts";

export interface WindowOptions {
  livekitUrl: string;
  processes: ServiceProcesses;
  /** CPU of the idle workers, % of a core. */
  idleCpu: number;
  sessions: number;
}

/** What the sessions take while `work` runs. */
export async function measureWindow<T>(
  { livekitUrl, processes, idleCpu, sessions }: WindowOptions,
  work: () => Promise<T>,
): Promise<{ result: T; cost: Pick<Required<LocalRow>, "cpu" | "processes" | "memory_per_session_mb"> }> {
  const pids = await findSessionPids(livekitUrl, processes);
  const endMeter = await startCpuMeter(processes, { sessions: pids });
  const result = await work();
  const { service, livekit, api, helpers } = await endMeter();
  return {
    result,
    cost: {
      cpu: {
        per_session: share(service - idleCpu, sessions),
        processes_per_session: share(helpers.sessions, sessions),
        livekit,
        api,
      },
      processes: pids.length,
      memory_per_session_mb: share(await readPssMb(pids), sessions),
    },
  };
}

function share(whole: number, sessions: number): number {
  return Math.round((whole / sessions) * 10) / 10;
}
