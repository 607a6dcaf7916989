// The embed page of this tab's avatar, kept until the tab is closed: a page that is loaded again finds its avatar in
// the same room, and does not take a second slot.

const KEY = "embed-page";
/** Shorter than the hour for which its token works. */
const KEPT_MS = 50 * 60_000;

export interface KeptPageOptions {
  /** `sessionStorage`. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Milliseconds since the epoch. Default: the browser's clock. */
  now?: () => number;
}

export class KeptPage {
  readonly #storage: KeptPageOptions["storage"];
  readonly #now: () => number;

  constructor({ storage, now = Date.now }: KeptPageOptions) {
    this.#storage = storage;
    this.#now = now;
  }

  /** The kept page of an agent, or the one that `make` returns. */
  async of(code: string, make: (code: string) => Promise<string>): Promise<string> {
    const kept = parse(this.#storage.getItem(KEY));
    if (kept?.code === code && kept.untilMs > this.#now()) return kept.page;
    const page = await make(code);
    this.#storage.setItem(KEY, JSON.stringify({ code, page, untilMs: this.#now() + KEPT_MS }));
    return page;
  }

  forget(): void {
    this.#storage.removeItem(KEY);
  }
}

/** Undefined for anything that this module did not write. */
function parse(text: string | null): { code: string; page: string; untilMs: number } | undefined {
  try {
    const value = JSON.parse(text ?? "null") as Record<string, unknown> | null;
    const { code, page, untilMs } = value ?? {};
    if (typeof code !== "string" || typeof page !== "string" || typeof untilMs !== "number") return undefined;
    return { code, page, untilMs };
  } catch {
    return undefined;
  }
}
