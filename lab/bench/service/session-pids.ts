// Finds the processes of a service that hold avatar sessions.
import { readProcesses } from "../cpu-time.ts";
import { partsOf, type ServiceProcesses } from "./find-service-processes.ts";
import { readTcpSockets } from "./tcp-sockets.ts";

/** Ids of the workers' processes that are in a room. `livekitUrl`: of the service's own server. */
export async function findSessionPids(livekitUrl: string, processes: ServiceProcesses): Promise<number[]> {
  const [all, sockets] = await Promise.all([readProcesses(), readTcpSockets()]);
  const port = Number(new URL(livekitUrl).port);
  const connected = new Set(sockets.filter(({ remotePort }) => remotePort === port).flatMap(({ pids }) => pids));
  return partsOf(all, processes)
    .service.map(({ pid }) => pid)
    .filter((pid) => connected.has(pid) && !processes.workers.includes(pid));
}
