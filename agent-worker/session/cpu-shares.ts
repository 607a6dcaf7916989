// CPU time of each session in this process. The system counts it for the process as a whole: native threads encode and
// send for all sessions. It is divided by what each session has done since the last division:
//
//   being there   30 ms of a second: audio is encoded and sent all the time, speech or not
//   speech        the time that the lip-sync network took
//   video         twice the time that rendering took: encoding and sending a frame takes about as long as rendering it
//
// Alone in its process, a session has all of it.

/** What a session has done so far. */
export interface SessionWork {
  /** Time that the process's thread spent on its speech and on its frames, ms. */
  lipSyncMs: number;
  renderMs: number;
}

/** CPU time of a session that only sends audio, as a share of a core. */
const IDLE_CORES = 0.03;
/** Of a frame's rendering time. */
const VIDEO_FACTOR = 2;

interface Share {
  work(): SessionWork;
  workBeforeMs: number;
  /** CPU time since the session's last reading, ms. */
  cpuMs: number;
}

export interface CpuSharesOptions {
  /** CPU time of the process so far, ms. Default: as the system counts it. */
  processMs?(): number;
  /** Default: a monotonic clock, ms. */
  nowMs?(): number;
}

/** The CPU time of one session. */
export interface CpuShare {
  /** CPU time since the last reading, in cores. */
  read(): number;
  /** Its share is divided no more. */
  close(): void;
}

export class CpuShares {
  readonly #processMs: () => number;
  readonly #nowMs: () => number;
  readonly #shares = new Set<Share>();
  #dividedMs: number;
  #dividedAtMs: number;

  constructor({ processMs = processCpuMs, nowMs = () => performance.now() }: CpuSharesOptions = {}) {
    this.#processMs = processMs;
    this.#nowMs = nowMs;
    this.#dividedMs = processMs();
    this.#dividedAtMs = nowMs();
  }

  /** Counts for another session from now on. `work`: what it has done so far. */
  open(work: () => SessionWork): CpuShare {
    this.#divide();
    const share: Share = { work, workBeforeMs: faceMs(work()), cpuMs: 0 };
    this.#shares.add(share);
    let readAtMs = this.#nowMs();
    return {
      read: () => {
        this.#divide();
        const nowMs = this.#nowMs();
        const cores = share.cpuMs / Math.max(1, nowMs - readAtMs);
        share.cpuMs = 0;
        readAtMs = nowMs;
        return cores;
      },
      close: () => {
        this.#divide();
        this.#shares.delete(share);
      },
    };
  }

  #divide(): void {
    const cpuMs = this.#processMs();
    const nowMs = this.#nowMs();
    const spentMs = cpuMs - this.#dividedMs;
    const idleMs = IDLE_CORES * (nowMs - this.#dividedAtMs);
    this.#dividedMs = cpuMs;
    this.#dividedAtMs = nowMs;
    const parts = [...this.#shares].map((share) => {
      const workMs = faceMs(share.work());
      const partMs = idleMs + workMs - share.workBeforeMs;
      share.workBeforeMs = workMs;
      return { share, partMs };
    });
    const totalMs = parts.reduce((sum, { partMs }) => sum + partMs, 0);
    // Within the same instant nothing was spent.
    if (totalMs > 0) for (const { share, partMs } of parts) share.cpuMs += (spentMs * partMs) / totalMs;
  }
}

function faceMs({ lipSyncMs, renderMs }: SessionWork): number {
  return lipSyncMs + VIDEO_FACTOR * renderMs;
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
