// Decides which test file runs next. Many files mostly wait, for rooms that run in real time or for limits to pass:
// beside them more files run at the same time than there are cores.
import type { Timing } from "./timings.ts";

/** Files at a time. */
export const LANES = 4;
/** Cores that the running files may use together. More would make the timing of rooms and renders unsteady: at times a
 *  file uses more than its mean. */
const CORES = 1.7;
/** Least cores that one file is counted with. */
const LEAST_LOAD = 0.3;
/** Least cores of a file in which rooms or pages run in real time, whatever it needs in the mean: two of them at a
 *  time, and nothing beside them. What they show costs time as long as it is shown, so that a third file would make all
 *  of them dearer. */
const REAL_TIME_LOAD = 0.85;
const REAL_TIME = [
  "test/agent-worker/",
  "test/e2e/",
  "test/integration/",
  "test/relay/",
  "test/room/",
  "test/sdk/face/",
  "test/sdk/livekit-agents/",
  "test/sdk/python/",
  "test/web/speaking-face/",
];
/** Most cores that one file is counted with: two of them run at a time. */
const MOST_LOAD = CORES / 2;
/** Sums of loads are not exact. */
const TOLERANCE = 0.01;

export class Schedule {
  readonly #queue: string[];
  readonly #loadOf: (file: string) => number;
  readonly #running = new Set<string>();
  /** Wakes the lanes that wait for cores. */
  #waiting: (() => void)[] = [];

  /** The files start longest first. */
  constructor(files: readonly string[], timingOf: (file: string) => Timing) {
    this.#queue = files.toSorted(
      (left, right) => timingOf(right).durationS - timingOf(left).durationS || left.localeCompare(right),
    );
    this.#loadOf = (file) => {
      const { durationS, cpuS } = timingOf(file);
      const least = REAL_TIME.some((folder) => file.startsWith(folder)) ? REAL_TIME_LOAD : LEAST_LOAD;
      return Math.min(MOST_LOAD, Math.max(least, cpuS / durationS || 0));
    };
  }

  /** The next file for a lane: for lane 0 the longest, for the others the longest for which there are cores. They wait
   *  until there are. Undefined when none is left. */
  async next(lane: number): Promise<string | undefined> {
    for (;;) {
      const index = lane === 0 ? 0 : this.#queue.findIndex((file) => this.#fits(file));
      const [file] = index < 0 ? [] : this.#queue.splice(index, 1);
      if (file !== undefined) this.#running.add(file);
      if (file !== undefined || this.#queue.length === 0) return file;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** A file has ended; its lane asks for the next one afterwards. */
  end(file: string): void {
    this.#running.delete(file);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #fits(file: string): boolean {
    const used = [...this.#running].reduce((sum, each) => sum + this.#loadOf(each), 0);
    return used + this.#loadOf(file) <= CORES + TOLERANCE;
  }
}
