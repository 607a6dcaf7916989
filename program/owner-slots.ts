// Limits how many tasks of one owner run at once, so that one owner's slow tasks do not take what all share.

interface Slots {
  taken: number;
  /** Take over a slot that is released. */
  waiting: (() => void)[];
}

/** Slots of each owner. Only owners with running tasks are remembered. */
export class OwnerSlots {
  readonly #perOwner: number;
  readonly #owners = new Map<string, Slots>();
  #count = 0;

  constructor(perOwner: number) {
    this.#perOwner = perOwner;
  }

  /** Taken slots of all owners. */
  get count(): number {
    return this.#count;
  }

  /** Owners without a free slot. */
  get full(): string[] {
    return [...this.#owners].filter(([, { taken }]) => taken >= this.#perOwner).map(([owner]) => owner);
  }

  /** Takes a slot of the owner. Returns the function that releases it, which is idempotent; undefined if none is
   *  free. */
  take(owner: string): (() => void) | undefined {
    const slots = this.#owners.get(owner) ?? { taken: 0, waiting: [] };
    if (slots.taken >= this.#perOwner) return undefined;
    this.#owners.set(owner, slots);
    slots.taken++;
    this.#count++;
    return this.#releaseOf(owner, slots);
  }

  /** Waits for a slot of the owner, in order of arrival, and takes it. Returns as `take`; undefined if none became free
   *  within `waitMs`. */
  async enter(owner: string): Promise<() => void>;
  async enter(owner: string, waitMs: number): Promise<(() => void) | undefined>;
  async enter(owner: string, waitMs?: number): Promise<(() => void) | undefined> {
    const slots = this.#owners.get(owner);
    if (!slots || slots.taken < this.#perOwner) return this.take(owner);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const takeOver = (): void => {
        clearTimeout(timer);
        resolve(this.#releaseOf(owner, slots));
      };
      slots.waiting.push(takeOver);
      if (waitMs === undefined) return;
      timer = setTimeout(() => {
        slots.waiting.splice(slots.waiting.indexOf(takeOver), 1);
        resolve(undefined);
      }, waitMs);
    });
  }

  #releaseOf(owner: string, slots: Slots): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = slots.waiting.shift();
      if (next) return next();
      this.#count--;
      if (--slots.taken === 0) this.#owners.delete(owner);
    };
  }
}
