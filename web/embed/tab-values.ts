// Texts that a browser tab keeps while its page is loaded again: in session storage, or in the history's state where
// the browser denies storage, as it may in a frame of another site.

export interface TabValuesOptions {
  /** Returns `sessionStorage`. Browsers that deny it throw. */
  openStorage(): Pick<Storage, "getItem" | "setItem">;
  history: Pick<History, "state" | "replaceState">;
  /** Frames of one tab that are to keep different texts have different ones. Default: 0. */
  place?: number;
}

/** Of place 0; others have their number in it. */
const KEY_PREFIX = "embed-";
/** 128 bits: nothing else protects the conversation of a tab with a shared token. */
const TAB_ID_BYTES = 16;

export class TabValues {
  readonly #options: TabValuesOptions;
  readonly #prefix: string;

  constructor(options: TabValuesOptions) {
    this.#options = options;
    this.#prefix = options.place ? `${KEY_PREFIX}${options.place}-` : KEY_PREFIX;
  }

  /** The text under `name`; undefined if there is none. */
  read(name: string): string | undefined {
    const key = this.#prefix + name;
    return this.#readStorage(key) ?? textOf(this.#options.history.state, key);
  }

  /** Keeps a text. Never throws. */
  write(name: string, text: string): void {
    const key = this.#prefix + name;
    try {
      this.#options.openStorage().setItem(key, text);
    } catch {
      // Denied or full.
      const { history } = this.#options;
      history.replaceState({ ...(isRecord(history.state) && history.state), [key]: text }, "");
    }
  }

  /** The random id of this tab, 32 hex digits. */
  tabId(): string {
    const kept = this.read("tab");
    if (kept !== undefined) return kept;
    const bytes = crypto.getRandomValues(new Uint8Array(TAB_ID_BYTES));
    const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.write("tab", id);
    return id;
  }

  #readStorage(key: string): string | undefined {
    try {
      return this.#options.openStorage().getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  }
}

function textOf(state: unknown, key: string): string | undefined {
  const value = isRecord(state) ? state[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
