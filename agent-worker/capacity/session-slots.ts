// The slots of a worker: which of its sessions take one. A session in a vacant room takes none while it waits for a
// user to return; a job that needs its slot ends it.

export class SessionSlots {
  /** Sessions with an avatar in a room, or about to be, by job id. The value: whether the room is vacant. Those that
   *  became vacant first come first. */
  readonly #present = new Map<string, boolean>();

  /** Sessions that take a slot. */
  get taken(): number {
    return this.#present.size - this.#vacant.length;
  }

  /** Sessions that take a slot, and vacant ones. */
  get present(): number {
    return this.#present.size;
  }

  /** Of those present, how many this is true for. */
  count(isCounted: (id: string) => boolean): number {
    return [...this.#present.keys()].filter(isCounted).length;
  }

  has(id: string): boolean {
    return this.#present.has(id);
  }

  /** Takes a slot for a job, if fewer than `most` are taken. Returns the vacant sessions that must end for it, which
   *  are no longer present; null if every slot is taken. */
  take(id: string, most: number): string[] | null {
    if (this.taken >= most) return null;
    const ending = this.#vacant.slice(0, Math.max(0, this.present + 1 - most));
    for (const vacant of ending) this.#present.delete(vacant);
    this.#present.set(id, false);
    return ending;
  }

  /** The room of a session has become vacant, or no longer is. Does nothing for a session that is not present. */
  setVacant(id: string, isVacant: boolean): void {
    if (!this.#present.delete(id)) return;
    this.#present.set(id, isVacant);
  }

  isVacant(id: string): boolean {
    return this.#present.get(id) === true;
  }

  /** The avatar has left its room, or never came. Returns whether the session was present. */
  release(id: string): boolean {
    return this.#present.delete(id);
  }

  get #vacant(): string[] {
    return [...this.#present].flatMap(([id, isVacant]) => (isVacant ? id : []));
  }
}
