// Limits how many tasks of one owner run at once, so that one owner's slow tasks do not take what all share.

/** Slots of each owner. Only owners with running tasks are remembered. */
export class OwnerSlots {
  readonly #perOwner: number;
  readonly #owners = new Map<string, { taken: number; waiting: (() => void)[] }>();

  constructor(perOwner: number) {
    this.#perOwner = perOwner;
  }

  /** Owners without a free slot. */
  get full(): string[] {
    return [...this.#owners].filter(([, { taken }]) => taken >= this.#perOwner).map(([owner]) => owner);
  }

  /** Waits for a slot of the owner, in order of arrival, and takes it. Returns the function that releases it. */
  async enter(owner: string): Promise<() => void> {
    const slots = this.#owners.get(owner) ?? { taken: 0, waiting: [] };
    this.#owners.set(owner, slots);
    if (slots.taken < this.#perOwner) slots.taken++;
    else await new Promise<void>((resolve) => slots.waiting.push(resolve));
    return () => {
      const next = slots.waiting.shift();
      if (next) next();
      else if (--slots.taken === 0) this.#owners.delete(owner);
    };
  }
}
