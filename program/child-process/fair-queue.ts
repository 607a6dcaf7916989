// A bounded queue in which owners take turns, so that one owner with many entries does not delay the others.

export interface FairQueueOptions {
  /** Most entries in all. */
  maxEntries: number;
  /** Most entries of one owner. */
  maxEntriesPerOwner: number;
}

/** Entries of each owner come out in order; owners take turns. */
export class FairQueue<Entry> {
  readonly #options: FairQueueOptions;
  /** In the order of their turns. Only owners with entries are in here. */
  readonly #owners = new Map<string, Entry[]>();
  #size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an entry. Returns false, and adds nothing, if the queue or the owner's share is full. */
  add(owner: string, entry: Entry): boolean {
    const entries = this.#owners.get(owner);
    const { maxEntries, maxEntriesPerOwner } = this.#options;
    if (this.#size >= maxEntries || (entries?.length ?? 0) >= maxEntriesPerOwner) return false;
    if (entries) entries.push(entry);
    else this.#owners.set(owner, [entry]);
    this.#size++;
    return true;
  }

  /** Removes the next entry: the first of the next owner in turn. */
  take(): Entry | undefined {
    for (const [owner, entries] of this.#owners) {
      const entry = entries.shift();
      this.#size--;
      // Last in line now, if more is waiting.
      this.#owners.delete(owner);
      if (entries.length > 0) this.#owners.set(owner, entries);
      return entry;
    }
    return undefined;
  }

  /** Removes an entry. Returns whether it was in the queue. */
  remove(owner: string, entry: Entry): boolean {
    const entries = this.#owners.get(owner);
    const index = entries?.indexOf(entry) ?? -1;
    if (!entries || index < 0) return false;
    entries.splice(index, 1);
    this.#size--;
    if (entries.length === 0) this.#owners.delete(owner);
    return true;
  }
}
