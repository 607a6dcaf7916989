// Queries about things that were deleted: a page that still shows one must not ask for it again.
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

const deleted = new WeakSet<Query>();

/** Deletes what the queries below `keys` show. From now on no change makes them ask again, unless it fails: then it
 *  throws what `remove` throws. */
export async function deleteShown(
  queries: QueryClient,
  keys: readonly QueryKey[],
  remove: () => Promise<unknown>,
): Promise<void> {
  // A change may be told before the answer arrives.
  const shown = keys.flatMap((queryKey) => queries.getQueryCache().findAll({ queryKey }));
  for (const query of shown) deleted.add(query);
  try {
    await remove();
  } catch (error) {
    for (const query of shown) deleted.delete(query);
    throw error;
  }
}

/** For the `predicate` of what makes queries ask again. */
export function isThere(query: Query): boolean {
  return !deleted.has(query);
}
