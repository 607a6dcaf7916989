// Bounds how many requests of a kind run at the same time, in all and of one owner. What is beyond is refused at once.
import { ServiceError } from "../../shared/errors.ts";
import { OwnerSlots } from "../owner-slots.ts";

export interface RequestSlotsOptions {
  /** Most at a time. */
  most: number;
  /** Most of one owner. */
  mostPerOwner: number;
  /** What a refused caller is told. */
  refusal: string;
  retryAfterSeconds: number;
}

export class RequestSlots {
  readonly #options: RequestSlotsOptions;
  readonly #slots: OwnerSlots;

  constructor(options: RequestSlotsOptions) {
    this.#options = options;
    this.#slots = new OwnerSlots(options.mostPerOwner);
  }

  /** Taken slots. */
  get count(): number {
    return this.#slots.count;
  }

  /** Takes a slot for an owner. Returns the function that gives it back, which is idempotent. Throws
   *  SERVICE_UNAVAILABLE with Retry-After if there is none. */
  take(owner: string): () => void {
    const { most, refusal, retryAfterSeconds } = this.#options;
    const release = this.count < most ? this.#slots.take(owner) : undefined;
    if (release) return release;
    throw new ServiceError("SERVICE_UNAVAILABLE", refusal, { retryAfterSeconds });
  }

  /** Runs `work` in a slot. Throws as `take`, or what `work` throws. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const release = this.take(owner);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
