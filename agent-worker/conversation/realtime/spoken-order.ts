// Messages of both sides in the order in which they were said. Their texts come later, and in any order: what the
// person said is written down while the answer is spoken already.
import type { SpokenMessage } from "../../../src/conversation/turns/conversation-listener.ts";

/** A text that does not come within this time is not waited for, ms. */
const LONGEST_WAIT_MS = 10_000;
/** Messages that wait for one before them. Of more, what the person says is no message. */
const MOST_WAITING = 200;

interface Place {
  role: SpokenMessage["role"];
  at: Date;
  /** Undefined until it is known; empty if there is none. */
  text: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class SpokenOrder {
  readonly #onMessage: (message: SpokenMessage) => void;
  #places: Place[] = [];

  constructor(onMessage: (message: SpokenMessage) => void) {
    this.#onMessage = onMessage;
  }

  /** Something is said now. The returned function tells its text, once; an empty one is no message. What the person
   *  said is given up after ten seconds. */
  begin(role: SpokenMessage["role"]): (text: string) => void {
    if (role === "user" && this.#places.length >= MOST_WAITING) return () => undefined;
    const place: Place = { role, at: new Date(), text: undefined, timer: undefined };
    const settle = (text: string) => {
      clearTimeout(place.timer);
      place.text ??= text;
      this.#flush();
    };
    if (role === "user") place.timer = setTimeout(() => settle(""), LONGEST_WAIT_MS).unref();
    this.#places.push(place);
    return settle;
  }

  /** Nothing is waited for any more. */
  close(): void {
    for (const place of this.#places) {
      clearTimeout(place.timer);
      place.text ??= "";
    }
    this.#flush();
  }

  #flush(): void {
    while (this.#places.length > 0 && this.#places[0].text !== undefined) {
      const { role, at, text = "" } = this.#places.shift() as Place;
      if (text.trim() !== "") this.#onMessage({ role, text: text.trim(), at });
    }
  }
}
