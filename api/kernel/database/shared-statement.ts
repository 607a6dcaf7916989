// One statement for many requests: what is asked of a database while such a statement is under way is asked by the next one, all
// at once. Whoever asks sees everything that was committed before it asked.
import { createBatcher } from "./batcher.ts";
import type { Database } from "./database.ts";

/** Answers items in their order; the same may be among them more than once. If it throws, every call of the batch does. */
export type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

const MAX_ITEMS = 200;

/** A function that answers one item together with others on the same database. `prepare` is called once for each database. Not for
 *  transactions: in one, a statement has to see what came before it. */
export function createSharedStatement<Item, Result>(
  prepare: (database: Database) => Run<Item, Result>,
): (database: Database, item: Item) => Promise<Result> {
  const batchers = new WeakMap<Database, (item: Item) => Promise<Result>>();
  return (database, item) => {
    let batcher = batchers.get(database);
    if (!batcher) {
      batcher = createBatcher({ maxItems: MAX_ITEMS, run: prepare(database) });
      batchers.set(database, batcher);
    }
    return batcher(item);
  };
}
