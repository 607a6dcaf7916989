// How much CPU time the machine has left, over the last seconds.
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, freemem } from "node:os";

const SAMPLE_INTERVAL_MS = 1_000;
/** Long enough that a garbage collection or a page load does not count, short enough to see a neighbour arrive. */
const DEFAULT_WINDOW_SAMPLES = 5;

interface Sample {
  atMs: number;
  /** Time that the cores had left for sessions, ms. */
  freeMs: number;
}

/** Samples from `start()` to `close()`. */
export class MachineLoad {
  /** Cores that this process may use. */
  readonly cores = availableParallelism();
  readonly #samples: Sample[] = [takeSample()];
  readonly #windowSamples: number;
  #timer: NodeJS.Timeout | undefined;

  /** `windowSamples`: how many samples count, at least 2; the first sees nothing. Default 5. */
  constructor(windowSamples = DEFAULT_WINDOW_SAMPLES) {
    this.#windowSamples = windowSamples;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#samples.push(takeSample());
      if (this.#samples.length > this.#windowSamples) this.#samples.shift();
    }, SAMPLE_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Cores that were free, on average over the last seconds. Work at lowered priority counts as free, because sessions
   *  displace it; time that a hypervisor gave to other machines does not. All cores, until there are two samples. */
  freeCores(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)!];
    const spanMs = last.atMs - first.atMs;
    return spanMs > 0 ? Math.min(this.cores, (last.freeMs - first.freeMs) / spanMs) : this.cores;
  }

  /** Memory that processes can still get, with what the page cache would give back, in bytes. */
  freeMemoryBytes(): number {
    try {
      const kilobytes = /^MemAvailable:\s*(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
      if (kilobytes !== undefined) return Number(kilobytes) * 1024;
    } catch {
      // Not Linux.
    }
    return freemem();
  }
}

function takeSample(): Sample {
  let freeMs = 0;
  for (const { times } of cpus()) freeMs += times.idle + times.nice;
  return { atMs: performance.now(), freeMs };
}
