// The stream of changes of one tab: opened again after each loss, with pauses that grow.
import {
  CHANGES_BEAT_MS,
  type ChangeEvent,
  type ChangeNoun,
  type ChangesEndEvent,
  isChangeNoun,
} from "../../../shared/change-nouns.ts";
import type { Later } from "./later.ts";

/** Kinds of things that have changed; `all` after a time in which changes may have been missed. */
export type Changed = readonly ChangeNoun[] | "all";

/** What is needed of an `EventSource`. */
export interface Source {
  addEventListener(name: string, listener: (event: Event) => void): void;
  close(): void;
}

export interface ChangeSourceOptions {
  url: string;
  open: (url: string) => Source;
  onChange: (changed: Changed) => void;
  /** Called when the stream begins to bring changes, and when it is lost. */
  onStreaming: (isStreaming: boolean) => void;
  /** 0 to 1. */
  random: () => number;
  later: Later;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** After this the service, or the way to it, is silent. */
const SILENT_MS = 3 * CHANGES_BEAT_MS;

/** Opens at once. */
export class ChangeSource {
  readonly #options: ChangeSourceOptions;
  #source: Source | null = null;
  #isStreaming = false;
  #pauseMs = FIRST_PAUSE_MS;
  #stopTimer: () => void = () => undefined;
  #hasClosed = false;

  constructor(options: ChangeSourceOptions) {
    this.#options = options;
    this.#open();
  }

  /** Tries again now if there is no stream. */
  retry(): void {
    if (this.#source !== null || this.#hasClosed) return;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#open();
  }

  close(): void {
    this.#hasClosed = true;
    this.#drop();
  }

  #open(): void {
    this.#stopTimer();
    const source = this.#options.open(this.#options.url);
    this.#source = source;
    const on = (name: string, take: (data: unknown) => void) =>
      source.addEventListener(name, (event) => {
        if (this.#source !== source) return;
        this.#expectMore();
        take(dataOf(event));
      });
    on("ready", () => {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#setStreaming(true);
      this.#options.onChange("all");
    });
    on("beat", () => undefined);
    on("change", (data) => {
      const nouns = ((data as Partial<ChangeEvent> | null)?.nouns ?? []).filter(isChangeNoun);
      if (nouns.length > 0) this.#options.onChange(nouns);
    });
    on("end", (data) => {
      this.#lose();
      // What the page loads now is refused, and so it learns that it has to sign in.
      if ((data as Partial<ChangesEndEvent> | null)?.reason === "session_ended") this.#options.onChange("all");
    });
    // The browser would try again by itself after three seconds, as all pages do at once, and never after a refusal.
    on("error", () => this.#lose());
    this.#expectMore();
  }

  /** Without another event, the stream is lost after a while. */
  #expectMore(): void {
    this.#stopTimer();
    this.#stopTimer = this.#options.later(() => this.#lose(), SILENT_MS);
  }

  #lose(): void {
    this.#drop();
    const waitMs = this.#pauseMs * (0.5 + this.#options.random());
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    this.#stopTimer = this.#options.later(() => this.#open(), waitMs);
  }

  #drop(): void {
    this.#stopTimer();
    this.#source?.close();
    this.#source = null;
    this.#setStreaming(false);
  }

  #setStreaming(isStreaming: boolean): void {
    if (this.#isStreaming === isStreaming) return;
    this.#isStreaming = isStreaming;
    this.#options.onStreaming(isStreaming);
  }
}

/** The data of an event of the service; null for others, and for what is no JSON. */
function dataOf(event: Event): unknown {
  const { data } = event as Partial<MessageEvent<unknown>>;
  try {
    return typeof data === "string" ? JSON.parse(data) : null;
  } catch {
    return null;
  }
}
