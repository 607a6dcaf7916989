// Bounds how many requests of a kind are served at the same time, in all and of one account.

import { OwnerSlots } from "../../program/owner-slots.ts";
import { ServiceError } from "../../shared/errors.ts";

const RETRY_AFTER_SECONDS = 5;

export interface AccountSlotsOptions {
  /** Most at a time. */
  most: number;
  /** Most of one account. */
  mostPerAccount: number;
  /** What a refused caller is told. */
  refusal: string;
}

export class AccountSlots {
  readonly #options: AccountSlotsOptions;
  readonly #slots: OwnerSlots;

  constructor(options: AccountSlotsOptions) {
    this.#options = options;
    this.#slots = new OwnerSlots(options.mostPerAccount);
  }

  /** Taken slots. */
  get count(): number {
    return this.#slots.count;
  }

  /** Takes a slot for an account. Returns the function that gives it back, which is idempotent. Throws
   *  SERVICE_UNAVAILABLE with Retry-After if there is none. */
  take(userId: string): () => void {
    const { most, refusal } = this.#options;
    const release = this.count < most ? this.#slots.take(userId) : undefined;
    if (release) return release;
    throw new ServiceError("SERVICE_UNAVAILABLE", refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
