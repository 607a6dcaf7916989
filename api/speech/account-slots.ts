// Bounds how many requests of a kind are served at the same time, in all and of one account.
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
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(options: AccountSlotsOptions) {
    this.#options = options;
  }

  /** Taken slots. */
  get count(): number {
    return this.#count;
  }

  /** Takes a slot for an account. Returns the function that gives it back, which is idempotent. Throws
   *  SERVICE_UNAVAILABLE with Retry-After if there is none. */
  take(userId: string): () => void {
    const { most, mostPerAccount, refusal } = this.#options;
    const own = this.#taken.get(userId) ?? 0;
    if (this.#count >= most || own >= mostPerAccount) {
      throw new ServiceError("SERVICE_UNAVAILABLE", refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#count++;
    this.#taken.set(userId, own + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#count--;
      const left = (this.#taken.get(userId) ?? 1) - 1;
      if (left > 0) this.#taken.set(userId, left);
      else this.#taken.delete(userId);
    };
  }
}
