// Tells when a peer has vanished. WebRTC itself notices after 15 to 30 s; a call is billed for as long.

const CHECK_MS = 1_000;
/** A peer that is there sends checks of the connection at least every three seconds, whatever it says. */
const SILENT_MS = 7_000;

export interface PeerWatchOptions {
  /** Counts everything that the peer has sent. */
  received(): Promise<number>;
  /** Once. */
  onVanished(): void;
  /** Between two looks, ms. Default 1,000. */
  checkMs?: number;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

/** Watches from `start()` to `close()`. */
export class PeerWatch {
  readonly #options: PeerWatchOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #received = -1;
  #isCounting = false;
  #sinceMs: number;

  constructor(options: PeerWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#sinceMs = this.#now();
  }

  /** Once. */
  start(): void {
    this.#timer = setInterval(() => void this.#check(), this.#options.checkMs ?? CHECK_MS);
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    let received = this.#received;
    // A count that does not come is as good as one that stays.
    if (!this.#isCounting) {
      this.#isCounting = true;
      // A connection that is being closed has no count.
      received = await this.#options.received().catch(() => this.#received);
      this.#isCounting = false;
    }
    if (received !== this.#received) {
      this.#received = received;
      this.#sinceMs = this.#now();
    } else if (this.#now() - this.#sinceMs >= SILENT_MS) {
      this.close();
      this.#options.onVanished();
    }
  }
}

/** Bytes and checks that a connection has received. */
export async function countReceived(peer: RTCPeerConnection): Promise<number> {
  let count = 0;
  for (const [, entry] of (await peer.getStats()) as unknown as Map<string, Record<string, unknown>>) {
    for (const name of ["bytesReceived", "requestsReceived", "responsesReceived"]) {
      const value = entry.type === "candidate-pair" ? entry[name] : undefined;
      if (typeof value === "number") count += value;
    }
  }
  return count;
}
