// Where the page keeps what lasts as long as its tab.

type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** `sessionStorage`, or the page's memory where the browser denies it: then nothing outlasts a reload. `open` returns
 *  `sessionStorage` or throws. */
export function openTabStorage(open: () => TabStorage): TabStorage {
  try {
    const storage = open();
    // Some browsers throw only now.
    storage.getItem("");
    return storage;
  } catch {
    const values = new Map<string, string>();
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    };
  }
}
