// Keeps a busy account from asking for the same lists with every change.
import type { ChangeNoun } from "../../../shared/change-nouns.ts";
import type { Changed } from "./change-source.ts";
import type { Later } from "./later.ts";

/** Changes are passed on this often at most: half of what a person waits for, and two requests a second for a list. */
const LEAST_INTERVAL_MS = 500;

/** Passes the first change on at once, and what comes soon after it together. */
export class CollectedChanges {
  readonly #pass: (changed: Changed) => void;
  readonly #later: Later;
  #waiting: Set<ChangeNoun> | "all" | null = null;
  #stop: (() => void) | null = null;

  constructor(pass: (changed: Changed) => void, later: Later) {
    this.#pass = pass;
    this.#later = later;
  }

  add(changed: Changed): void {
    if (this.#stop === null) {
      this.#pass(changed);
      this.#rest();
    } else if (changed === "all" || this.#waiting === "all") this.#waiting = "all";
    else this.#waiting = new Set([...(this.#waiting ?? []), ...changed]);
  }

  close(): void {
    this.#stop?.();
  }

  #rest(): void {
    this.#stop = this.#later(() => {
      const waiting = this.#waiting;
      this.#waiting = null;
      this.#stop = null;
      if (waiting === null) return;
      this.#pass(waiting === "all" ? "all" : [...waiting]);
      this.#rest();
    }, LEAST_INTERVAL_MS);
  }
}
