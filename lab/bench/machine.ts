// The machine that metrics were measured on.
import { cpus, loadavg, platform, release, totalmem } from "node:os";

export interface Machine {
  cpu: string;
  cores: number;
  memory_gb: number;
  system: string;
  node: string;
  /** Mean number of busy processes over the last minute: with other load on the machine, metrics are unreliable. */
  load_average: number;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? "unknown",
    cores: all.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    load_average: Math.round(loadavg()[0] * 100) / 100,
  };
}
