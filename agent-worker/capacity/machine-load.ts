// How much CPU time the machine has left, over the last seconds.
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, freemem } from "node:os";

/** Long enough that a garbage collection or a page load does not count, short enough to see a neighbour arrive, ms. */
const DEFAULT_SPAN_MS = 4000;
/** Intervals in a span. */
const DEFAULT_INTERVALS = 4;

export interface LoadSample {
  atMs: number;
  /** Time that the cores had left for sessions, ms. */
  freeMs: number;
}

/** Samples from `start()` to `close()`. */
export class MachineLoad {
  /** Cores that this process may use. */
  readonly cores = availableParallelism();
  readonly #samples: LoadSample[] = [];
  readonly #spanMs: number;
  readonly #intervals: number;
  #timer: NodeJS.Timeout | undefined;

  /** `spanMs`: time over which the load is measured, in that many intervals. The system counts in steps of 10 ms, so
   *  100 is the least. Default 4,000, in four. */
  constructor(spanMs = DEFAULT_SPAN_MS, intervals = DEFAULT_INTERVALS) {
    this.#spanMs = spanMs;
    this.#intervals = intervals;
    this.note(takeSample());
  }

  start(): void {
    this.#timer = setInterval(() => this.note(takeSample()), this.#spanMs / this.#intervals);
    this.#timer.unref();
  }

  /** Takes the next sample of the machine. */
  note(sample: LoadSample): void {
    this.#samples.push(sample);
    if (this.#samples.length > this.#intervals + 1) this.#samples.shift();
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Cores that were free, on average over the span. Work at lowered priority counts as free, because sessions
   *  displace it; time that a hypervisor gave to other machines does not. All cores, until there are two samples. */
  freeCores(): number {
    return this.#freeBetween(this.#samples[0], this.#samples.at(-1)!);
  }

  /** Cores that were free in the upper half of the intervals: a burst of work that fills less than half of the span
   *  does not count, and a lasting load counts as soon as it fills more. */
  usualFreeCores(): number {
    const free = this.#samples.slice(1).map((sample, index) => this.#freeBetween(this.#samples[index], sample));
    free.sort((a, b) => a - b);
    return free[Math.floor(free.length / 2)] ?? this.cores;
  }

  #freeBetween(first: LoadSample, last: LoadSample): number {
    const spanMs = last.atMs - first.atMs;
    return spanMs > 0 ? Math.min(this.cores, (last.freeMs - first.freeMs) / spanMs) : this.cores;
  }

  /** Memory that processes can still get, with what the page cache would give back, in bytes. In a container no more
   *  than its own limit leaves. */
  freeMemoryBytes(): number {
    return Math.min(machineFreeBytes(), process.availableMemory());
  }
}

function machineFreeBytes(): number {
  try {
    const kilobytes = /^MemAvailable:\s*(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return freemem();
}

function takeSample(): LoadSample {
  let freeMs = 0;
  for (const { times } of cpus()) freeMs += times.idle + times.nice;
  return { atMs: performance.now(), freeMs };
}
