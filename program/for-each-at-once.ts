export interface ForEachOptions {
  /** Items handled at the same time, at least 1. */
  concurrency: number;
  /** Once it fires, no other item is begun. */
  signal?: AbortSignal;
}

/** Calls `work` for each item, several at a time, in order. Rejects with the first error; what runs then goes on. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  { concurrency, signal }: ForEachOptions,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const drain = async (): Promise<void> => {
    while (queue.length > 0 && !signal?.aborted) await work(queue.shift() as T);
  };
  await Promise.all(Array.from({ length: concurrency }, drain));
}
