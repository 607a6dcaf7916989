// The code of a computer, while its person is at the issuer. Browsers may deny storage: then the person types it.

const KEY = "device-code";
type OpenStorage = () => Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Never throws. `openStorage` returns `sessionStorage`; browsers that deny it throw. */
export function keepCode(code: string, openStorage: OpenStorage): void {
  try {
    openStorage().setItem(KEY, code);
  } catch {
    // Denied or full.
  }
}

/** The code that was kept, once; null if there is none. Never throws. */
export function takeCode(openStorage: OpenStorage): string | null {
  try {
    const storage = openStorage();
    const code = storage.getItem(KEY);
    storage.removeItem(KEY);
    return code;
  } catch {
    return null;
  }
}
