// How much of this worker's GPU is left, over the last seconds, as its driver tells.
import { listCards, type NvidiaCard } from "../../src/signal/inference/nvidia-smi.ts";

/** The driver's program takes some 30 ms of a core. */
const INTERVAL_MS = 3_000;
/** The driver averages over a second at most, so several samples are. */
const KEPT_SAMPLES = 4;

export interface GpuState {
  /** Share of the time in which the card does not compute, 0 to 1; null if the driver hides it. */
  freeShare: number | null;
  freeMemoryBytes: number;
}

/** What admission asks a GPU. */
export interface Gpu {
  /** Null while nothing is known. */
  latest(): GpuState | null;
}

export interface GpuLoadOptions {
  /** `CUDA_VISIBLE_DEVICES`: its first entry, an index or a UUID, is the card that renders. Default: the first card. */
  visibleDevices?: string;
  /** Default: asks the driver. */
  list?: () => Promise<NvidiaCard[]>;
}

/** Samples from `start()` to `close()`. */
export class GpuLoad implements Gpu {
  readonly #visible: string;
  readonly #list: () => Promise<NvidiaCard[]>;
  #samples: NvidiaCard[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ visibleDevices = "", list = () => listCards() }: GpuLoadOptions = {}) {
    this.#visible = visibleDevices.split(",")[0].trim();
    this.#list = list;
  }

  start(): void {
    void this.#sample();
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  latest(): GpuState | null {
    const last = this.#samples.at(-1);
    if (!last) return null;
    const shares = this.#samples.map(({ busyShare }) => busyShare).filter((share) => share !== null);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    return { freeShare: shares.length > 0 ? 1 - mean : null, freeMemoryBytes: last.freeMemoryBytes };
  }

  /** The card as it is now; undefined if the driver's program is missing or shows none. */
  async readCard(): Promise<NvidiaCard | undefined> {
    return findCard(await this.#list().catch(() => []), this.#visible);
  }

  async #sample(): Promise<void> {
    try {
      const card = findCard(await this.#list(), this.#visible);
      this.#samples = card ? [...this.#samples.slice(1 - KEPT_SAMPLES), card] : [];
    } catch {
      this.#samples = []; // Without the driver's program, nothing is known.
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#sample(), INTERVAL_MS);
    this.#timer.unref();
  }
}

function findCard(cards: readonly NvidiaCard[], visible: string): NvidiaCard | undefined {
  if (visible === "") return cards[0];
  return cards.find(({ index, uuid }) => visible === String(index) || uuid.startsWith(visible));
}
