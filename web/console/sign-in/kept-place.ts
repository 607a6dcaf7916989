// Where in the console a person was who has to sign in. Links and issuers lead away from it. Browsers may deny storage:
// then they begin at the first view.

const KEY = "console-place";
type OpenStorage = () => Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Never throws. `openStorage` returns `sessionStorage`; browsers that deny it throw. */
export function keepPlace({ pathname, search }: URL, openStorage: OpenStorage): void {
  try {
    openStorage().setItem(KEY, pathname + search);
  } catch {
    // Denied or full.
  }
}

/** The place that was kept, once; null if there is none in the console below `root`. Never throws. */
export function takePlace(root: URL, openStorage: OpenStorage): URL | null {
  try {
    const storage = openStorage();
    const kept = storage.getItem(KEY);
    storage.removeItem(KEY);
    const place = kept === null ? null : new URL(kept, root);
    const first = new URL("console", root);
    const isInside = place?.origin === first.origin && `${place.pathname}/`.startsWith(`${first.pathname}/`);
    return isInside ? place : null;
  } catch {
    return null;
  }
}
