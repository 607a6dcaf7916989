// Batches calls: calls that arrive while a batch runs form the next batch. A busy process makes one round trip for many
// calls; an idle process does not wait.

export interface BatcherOptions<Item, Result> {
  /** Largest number of items in a batch; further items wait for the next one. */
  maxItems: number;
  /** Returns the results of a batch, in the same order. If it throws, every call of the batch throws. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
}

interface Call<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A function that answers one item. At most one batch runs at a time; calls keep their order. */
export function createBatcher<Item, Result>({
  maxItems,
  run,
}: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  // Not bounded here: each open request waits for its own call.
  let waiting: Call<Item, Result>[] = [];
  let isUnderWay = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [index, call] of batch.entries()) call.resolve(results[index]);
      } catch (error) {
        for (const call of batch) call.reject(error);
      }
    }
    isUnderWay = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      // After the requests that have arrived by now have been read.
      setImmediate(() => void runAll());
    });
}
