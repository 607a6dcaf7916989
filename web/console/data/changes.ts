// How a tab of the console hears of changes: by a stream that tabs of one browser share, or by asking every 5 s.
import { type Changed, ChangeSource, type Source } from "./change-source.ts";
import { type Later, later } from "./later.ts";

/** How changes arrive. `offline`: the browser says that it has no network. */
export type ChangesMode = "stream" | "polling" | "offline";

export interface ChangesOptions {
  /** Of the stream. Tabs with the same one share it. */
  url: string;
  onChange: (changed: Changed) => void;
  /** Called every 5 s while there is no stream: time to ask for everything. */
  onPoll: () => void;
  onMode: (mode: ChangesMode) => void;
  /** Default: this tab's. */
  browser?: ChangesBrowser;
}

/** What is needed of a browser. */
export interface ChangesBrowser {
  openSource: (url: string) => Source;
  /** Undefined where pages have none: over plain HTTP from another machine. */
  locks: Pick<LockManager, "request"> | undefined;
  openChannel: (name: string) => BroadcastChannel;
  isHidden: () => boolean;
  isOnline: () => boolean;
  /** Calls back when `isHidden` or `isOnline` has changed. Returns a function that ends it. */
  watch: (changed: () => void) => () => void;
  random: () => number;
  later: Later;
}

/** From a tab that has the stream to the others. `hello`: from a tab that wants to know whether there is one. */
type TabMessage = { kind: "hello" } | { kind: "streaming"; is: boolean } | { kind: "changed"; changed: Changed };

/** Without a stream for this long, and from then on this often, the page asks. */
export const POLL_MS = 5_000;
/** A tab that is hidden for this long hears of nothing until it is shown again. */
const HIDDEN_MS = 30_000;

/** Begins at once; `close` ends it. A browser opens six connections to a service at most (HTTP/1.1): the tab that holds
 *  a lock has the stream, and tells the others. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #browser: ChangesBrowser;
  readonly #channel: BroadcastChannel;
  readonly #unwatch: () => void;
  #source: ChangeSource | null = null;
  #mode: ChangesMode | null = null;
  #isStreaming = false;
  #isPaused = true;
  /** Gives up the lock, or the wait for it. */
  #leave: () => void = () => undefined;
  #stopPolling: () => void = () => undefined;
  #stopHiding: () => void = () => undefined;

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#browser = options.browser ?? tabBrowser();
    this.#channel = this.#browser.openChannel(`console-changes ${options.url}`);
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#take(data);
    this.#unwatch = this.#browser.watch(() => this.#look());
    if (!this.#browser.isHidden()) this.#resume();
  }

  close(): void {
    this.#unwatch();
    this.#stopHiding();
    this.#pause();
    this.#channel.close();
  }

  /** After the tab was shown or hidden, or has found or lost the network. */
  #look(): void {
    this.#stopHiding();
    if (this.#browser.isHidden()) {
      this.#stopHiding = this.#browser.later(() => this.#pause(), HIDDEN_MS);
      return;
    }
    if (this.#isPaused) {
      this.#resume();
      this.#options.onChange("all");
    } else if (this.#browser.isOnline()) this.#source?.retry();
    this.#showMode();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#wait();
    this.#send({ kind: "hello" });
    const leaving = new AbortController();
    const lead = () => {
      if (leaving.signal.aborted) return Promise.resolve();
      const { url } = this.#options;
      const source = new ChangeSource({
        url,
        open: this.#browser.openSource,
        random: this.#browser.random,
        later: this.#browser.later,
        onChange: (changed) => {
          this.#options.onChange(changed);
          this.#send({ kind: "changed", changed });
        },
        onStreaming: (is) => {
          this.#setStreaming(is);
          this.#send({ kind: "streaming", is });
        },
      });
      this.#source = source;
      return new Promise<void>((resolve) => {
        leaving.signal.addEventListener("abort", () => {
          source.close();
          this.#source = null;
          resolve();
        });
      });
    };
    this.#leave = () => leaving.abort();
    const { locks } = this.#browser;
    if (locks === undefined) void lead();
    // Rejected when it is given up.
    else locks.request(this.#channel.name, { signal: leaving.signal }, lead).catch(() => undefined);
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#leave();
    this.#isPaused = true;
    this.#isStreaming = false;
    this.#stopPolling();
  }

  #take(message: TabMessage): void {
    if (this.#isPaused) return;
    if (message.kind === "hello") {
      if (this.#source !== null) this.#send({ kind: "streaming", is: this.#isStreaming });
    } else if (this.#source !== null) return;
    else if (message.kind === "streaming") this.#setStreaming(message.is);
    else this.#options.onChange(message.changed);
  }

  #send(message: TabMessage): void {
    this.#channel.postMessage(message);
  }

  #setStreaming(isStreaming: boolean): void {
    if (this.#isPaused || this.#isStreaming === isStreaming) return;
    this.#isStreaming = isStreaming;
    if (isStreaming) this.#stopPolling();
    else this.#wait();
    this.#showMode();
  }

  /** Asks, unless there is a stream soon. */
  #wait(): void {
    this.#stopPolling();
    this.#stopPolling = this.#browser.later(() => {
      this.#wait();
      this.#showMode("polling");
      if (!this.#browser.isHidden() && this.#browser.isOnline()) this.#options.onPoll();
    }, POLL_MS);
  }

  /** `otherwise`: with network and without a stream. Default: what was shown before. */
  #showMode(otherwise: ChangesMode | null = this.#mode === "offline" ? "polling" : this.#mode): void {
    const mode = this.#isStreaming ? "stream" : this.#browser.isOnline() ? otherwise : "offline";
    if (mode === null || mode === this.#mode) return;
    this.#mode = mode;
    this.#options.onMode(mode);
  }
}

function tabBrowser(): ChangesBrowser {
  return {
    openSource: (url) => new EventSource(url),
    // Browsers leave it out where a page is not served safely.
    locks: (navigator as { locks?: LockManager }).locks,
    openChannel: (name) => new BroadcastChannel(name),
    isHidden: () => document.hidden,
    isOnline: () => navigator.onLine,
    watch(changed) {
      document.addEventListener("visibilitychange", changed);
      for (const name of ["online", "offline"]) addEventListener(name, changed);
      return () => {
        document.removeEventListener("visibilitychange", changed);
        for (const name of ["online", "offline"]) removeEventListener(name, changed);
      };
    },
    random: Math.random,
    later,
  };
}
