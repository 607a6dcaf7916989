// Bounds how many speeches are made at the same time: they share one voice process by turns.
import { ServiceError } from "../../shared/errors.ts";

const RETRY_AFTER_SECONDS = 5;

export interface SpeechSlotsOptions {
  /** Most speeches at a time. */
  most: number;
  /** Most of one account. */
  mostPerAccount: number;
}

export class SpeechSlots {
  readonly #options: SpeechSlotsOptions;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(options: SpeechSlotsOptions) {
    this.#options = options;
  }

  /** Speeches that are being made. */
  get count(): number {
    return this.#count;
  }

  /** Takes a slot for an account. Returns the function that gives it back, which is idempotent. Throws
   *  SERVICE_UNAVAILABLE with Retry-After if there is none. */
  take(userId: string): () => void {
    const own = this.#taken.get(userId) ?? 0;
    if (this.#count >= this.#options.most || own >= this.#options.mostPerAccount) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "Too many texts are being spoken. Try again later.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
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
