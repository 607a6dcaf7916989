// Limits the number of concurrent jobs of one kind in this process.

export interface KindSlots {
  isFull(): boolean;
  /** Waits for a free slot and takes it. Returns the function that releases it. */
  enter(): Promise<() => void>;
}

/** Slots for `count` jobs; waiting jobs are served in order of arrival. */
export function createKindSlots(count: number): KindSlots {
  let taken = 0;
  const waiting: (() => void)[] = [];

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else taken -= 1;
  }

  return {
    isFull: () => taken >= count,
    async enter() {
      if (taken < count) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return leave;
    },
  };
}
