// Batches calls: those that arrive while one batch is running form the next one. A busy process then makes
// one round trip where it would make many, an idle one waits for nothing.

export interface BatcherOptions<Item, Result> {
  /** Most items of one batch; more wait for the next. */
  maxItems: number;
  /** Answers a batch, in its order. If it throws, every call of the batch does. */
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
  // As many wait as there are requests open: each waits for its own call.
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
      // Once the requests that have arrived by now have been read.
      setImmediate(() => void runAll());
    });
}
