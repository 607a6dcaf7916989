// Gives sessions slots of processes; those that viewers render share processes. Keeps processes ready, so that a launch
// does not wait for one to load: a process is made ready at the lowest priority, one at a time, and only while the
// machine has capacity.
import { availableParallelism } from "node:os";
import type { Logger } from "../../program/log.ts";
import type { AvatarFile } from "../session/session-messages.ts";
import type { ProcessSlot } from "./process-slot.ts";
import { SessionProcess, type SessionProcessOptions, type Sharing } from "./session-process.ts";

const CHECK_INTERVAL_MS = 1_000;
/** After a process was taken, its session starts: it connects, loads its avatar and shows its first frames. */
const SETTLE_MS = 2_000;
/** A process that dies while it loads would die again at once. */
const FAILURE_PAUSE_MS = 10_000;

export interface ProcessPoolOptions extends SessionProcessOptions {
  /** Processes kept ready. Default: one for each two cores. */
  readyTarget?: number;
  logger: Logger;
  /** Whether the machine has space for a process now. */
  hasCapacity(): boolean;
  /** The avatar that the next session probably has; null if that is not known. Default: null. */
  nextAvatar?(): AvatarFile | null;
  /** A process was made ready, and measured the CPU time of the lip-sync network on one hop, ms. */
  onMeasured?(hopMs: number): void;
}

/** Works from `start()` to `close()`. */
export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #waiting = new Set<SessionProcess>();
  /** Processes that run sessions that share them. */
  readonly #shared = new Set<SessionProcess>();
  #timer: NodeJS.Timeout | undefined;
  #notBeforeMs = 0;
  #isClosed = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
  }

  /** Processes that are ready for a session. */
  get readyCount(): number {
    return [...this.#waiting].filter(({ state }) => state === "waiting").length;
  }

  /** Makes the first process ready at once. Once. */
  start(): void {
    this.#add();
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
  }

  /** A slot for a session: of the fullest process that it can share, else of one that is ready, else of one that is
   *  loading, else of a new one. */
  take(sharing: Sharing): ProcessSlot {
    this.#notBeforeMs = performance.now() + SETTLE_MS;
    const process = this.#sharedBy(sharing) ?? this.#takeWaiting() ?? this.#startUrgent();
    if (sharing !== "alone" && !this.#shared.has(process)) {
      this.#shared.add(process);
      void process.gone.then(() => this.#shared.delete(process));
    }
    return process.takeSlot(sharing);
  }

  /** Ends the processes that wait. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#waiting].map((process) => process.close()));
  }

  #sharedBy(sharing: Sharing): SessionProcess | undefined {
    const open = [...this.#shared].filter((process) => process.isOpenTo(sharing));
    return open.sort((a, b) => b.slotCount - a.slotCount)[0];
  }

  #takeWaiting(): SessionProcess | undefined {
    const processes = [...this.#waiting];
    const chosen = processes.find(({ state }) => state === "waiting") ?? processes[0];
    if (chosen) this.#waiting.delete(chosen);
    return chosen;
  }

  #startUrgent(): SessionProcess {
    return new SessionProcess({ isUrgent: true }, this.#options);
  }

  #check(): void {
    const { readyTarget = Math.max(1, Math.floor(availableParallelism() / 2)) } = this.#options;
    const isLoading = this.readyCount < this.#waiting.size;
    if (isLoading || this.#waiting.size >= readyTarget || performance.now() < this.#notBeforeMs) return;
    if (!this.#options.hasCapacity()) return;
    try {
      this.#add();
    } catch (error) {
      // A timer calls this. Without memory or descriptors for a process, the worker goes on with those it has.
      this.#options.logger.warn({ err: error }, "session process not started");
      this.#notBeforeMs = performance.now() + FAILURE_PAUSE_MS;
    }
  }

  #add(): void {
    const process = new SessionProcess({ isUrgent: false }, this.#options);
    this.#waiting.add(process);
    void process.loaded.then((hopMs) => {
      if (hopMs === null) return;
      this.#options.onMeasured?.(hopMs);
      const avatar = this.#options.nextAvatar?.() ?? null;
      if (avatar) process.openAhead(avatar);
    });
    void process.gone.then(() => {
      // False once it was taken.
      if (!this.#waiting.delete(process) || this.#isClosed) return;
      this.#options.logger.warn({ pid: process.pid }, "waiting session process died");
      this.#notBeforeMs = performance.now() + FAILURE_PAUSE_MS;
    });
  }
}
