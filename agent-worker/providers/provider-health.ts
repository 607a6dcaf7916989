// Whether a provider is used: after a fault the service's own part takes over for a time, so that not every utterance
// waits for a server that does not work.

/** How long a provider is left alone after a fault, ms. */
const REST_MS = 30_000;

export interface ProviderHealthOptions {
  /** Called for each fault. */
  onFault(error: unknown): void;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

export class ProviderHealth {
  readonly #options: ProviderHealthOptions;
  readonly #now: () => number;
  #usableAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderHealthOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get isUsable(): boolean {
    return this.#now() >= this.#usableAtMs;
  }

  /** It has failed. */
  failed(error: unknown): void {
    this.#usableAtMs = this.#now() + REST_MS;
    this.#options.onFault(error);
  }
}
