import { OwnerSlots } from "../../program/owner-slots.ts";
import { ServiceError } from "../../shared/errors.ts";

export interface LaunchSlotsOptions {
  /** In all. */
  most: number;
  /** Of these, slots of one key. */
  mostPerKey: number;
}

const RETRY_AFTER_SECONDS = 1;

/** Bounds work that goes on at the same time, in total and for each key. */
export class LaunchSlots {
  readonly #most: number;
  readonly #slots: OwnerSlots;

  constructor({ most, mostPerKey }: LaunchSlotsOptions) {
    this.#most = most;
    this.#slots = new OwnerSlots(mostPerKey);
  }

  /** Runs `work`. Throws SERVICE_UNAVAILABLE at once if a bound is reached. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = this.#slots.count < this.#most ? this.#slots.take(key) : undefined;
    if (!release) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "Too many launches arrive at the same time. Try again.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    try {
      return await work();
    } finally {
      release();
    }
  }
}
