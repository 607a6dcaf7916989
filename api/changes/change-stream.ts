// One page's stream of changes, as server-sent events. It holds no queue: what has not been sent is a set of nouns.
import { Readable } from "node:stream";
import {
  CHANGE_NOUNS,
  type ChangeEvent,
  type ChangeNoun,
  type ChangesEnd,
  type ChangesEndEvent,
} from "../../shared/change-nouns.ts";

/** Four events a second at most. */
const LEAST_INTERVAL_MS = 250;
/** A reader that takes nothing for this long is cut off. */
const STUCK_MS = 60_000;
/** Bytes that wait here before the stream stops writing. */
const BUFFER_BYTES = 1024;

/** Owners of the changes that a stream brings. */
export interface ChangeOwners {
  userId: string;
  /** The organization for which the person acts; null for none. */
  organizationId: string | null;
  isOperator: boolean;
}

/** Begins with the event `ready`. `now`: milliseconds on a clock that never goes back. */
export class ChangeStream extends Readable {
  readonly owners: ChangeOwners;
  readonly consoleSessionId: string;
  readonly #now: () => number;
  readonly #pending = new Set<ChangeNoun>();
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** Since when the reader takes no more; null while it does. */
  #blockedSinceMs: number | null = null;
  #hasEnded = false;

  constructor(owners: ChangeOwners, consoleSessionId: string, now: () => number = () => performance.now()) {
    super({ highWaterMark: BUFFER_BYTES });
    this.owners = owners;
    this.consoleSessionId = consoleSessionId;
    this.#now = now;
    this.#write(`event: ready\ndata: {}\n\n`);
  }

  /** Sends that something of this kind has changed, with the others of a quarter of a second. */
  add(noun: ChangeNoun): void {
    this.#pending.add(noun);
    this.#schedule();
  }

  /** Sends an empty event: nothing between here and the page takes the connection for dead, and the page notices one
   *  that is. Cuts off a reader that takes nothing. */
  beat(): void {
    if (this.#blockedSinceMs === null) this.#write(`event: beat\ndata: {}\n\n`);
    else if (this.#now() - this.#blockedSinceMs >= STUCK_MS) this.destroy();
  }

  /** Says why, and ends the stream. */
  end(reason: ChangesEnd): void {
    if (this.#hasEnded) return;
    this.#write(`event: end\ndata: ${JSON.stringify({ reason } satisfies ChangesEndEvent)}\n\n`);
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.push(null);
  }

  override _read(): void {
    this.#blockedSinceMs = null;
    if (this.#pending.size > 0) this.#schedule();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    callback(error);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#blockedSinceMs !== null || this.#hasEnded) return;
    // Notifications of a transaction arrive one after the other: the first one waits for its turn of the loop, too.
    const waitMs = Math.max(0, this.#sentAtMs + LEAST_INTERVAL_MS - this.#now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, waitMs);
    this.#timer.unref();
  }

  #send(): void {
    if (this.#blockedSinceMs !== null || this.#hasEnded) return;
    const event: ChangeEvent = { nouns: CHANGE_NOUNS.filter((noun) => this.#pending.has(noun)) };
    this.#pending.clear();
    this.#sentAtMs = this.#now();
    this.#write(`event: change\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #write(text: string): void {
    if (this.#hasEnded) return;
    if (!this.push(text)) this.#blockedSinceMs ??= this.#now();
  }
}
