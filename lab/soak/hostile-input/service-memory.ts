// Resident memory of the programs of a service.
import { readProcesses } from "../../bench/cpu-time.ts";
import { findServiceProcesses, partsOf, type ServiceProcesses } from "../../bench/service/find-service-processes.ts";
import { readPssMb } from "../../bench/service/memory.ts";
import type { DrivenService } from "../../bench/service/own-service.ts";

/** MB of each program with its child processes; what several share is divided among them. */
export interface ServiceMemory {
  workerMb: number;
  apiMb: number;
  relayMb: number;
}

export const PROGRAMS = ["workerMb", "apiMb", "relayMb"] as const satisfies readonly (keyof ServiceMemory)[];

export class ServiceMemoryMeter {
  readonly #processes: ServiceProcesses;

  private constructor(processes: ServiceProcesses) {
    this.#processes = processes;
  }

  /** `strangers`: processes that are connected to the LiveKit server and do not belong to the service. */
  static async start(service: DrivenService, strangers: readonly number[]): Promise<ServiceMemoryMeter> {
    const addresses = { apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url };
    return new ServiceMemoryMeter(await findServiceProcesses(addresses, strangers));
  }

  async read(): Promise<ServiceMemory> {
    const { service, api, relay } = partsOf(await readProcesses(), this.#processes);
    const [workerMb, apiMb, relayMb] = await Promise.all(
      [service, api, relay].map((part) => readPssMb(part.map(({ pid }) => pid))),
    );
    return { workerMb, apiMb, relayMb };
  }

  /** Names of programs without their process of the start. */
  async lost(): Promise<string[]> {
    const running = new Set((await readProcesses()).map(({ pid }) => pid));
    const { api, relay, workers } = this.#processes;
    const programs: [string, number | null][] = [
      ["api", api],
      ["relay", relay],
      ...workers.map((pid) => ["worker", pid] as [string, number]),
    ];
    return programs.filter(([, pid]) => pid === null || !running.has(pid)).map(([name]) => name);
  }
}
