// CPU time of this process between two readings.

/** Counts from its creation. */
export class CpuMeter {
  #before = process.cpuUsage();
  #beforeMs = performance.now();

  /** CPU time since the last reading, in cores. */
  read(): number {
    const { user, system } = process.cpuUsage(this.#before);
    const nowMs = performance.now();
    const cores = (user + system) / 1000 / Math.max(1, nowMs - this.#beforeMs);
    this.#before = process.cpuUsage();
    this.#beforeMs = nowMs;
    return cores;
  }
}

/** Median CPU time of `work`, ms. Runs it `runs` times. */
export async function measureCpuMs(work: () => unknown, runs: number): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)];
}
