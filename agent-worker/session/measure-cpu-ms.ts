// CPU time of work in this process.

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
