// One statement for many requests: requests that arrive while a statement runs share the next one. Each sees everything
// that was committed before it arrived.
import { createBatcher } from "./batcher.ts";
import type { Database } from "./database.ts";

/** Answers items in their order; an item may occur more than once. If it throws, every call of the batch throws. */
export type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

const MAX_ITEMS = 200;

/** A function that answers one item, batched with others on the same database. `prepare` is called once for each
 *  database. Not for transactions, in which a statement must see the changes before it. */
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
