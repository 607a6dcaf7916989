// The order that runs, kept until the tab is closed: the flow finds it when it is opened again.

const KEY = "running-order";

export class KeptOrder {
  readonly #storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;

  /** `storage`: `sessionStorage`. */
  constructor(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">) {
    this.#storage = storage;
  }

  /** The code of the agent that is being made; undefined if there is none. */
  get code(): string | undefined {
    return this.#storage.getItem(KEY) ?? undefined;
  }

  keep(code: string): void {
    this.#storage.setItem(KEY, code);
  }

  forget(): void {
    this.#storage.removeItem(KEY);
  }
}
