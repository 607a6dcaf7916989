// What an avatar session has opened, to be closed in reverse order when it ends.
import type { Logger } from "../../program/log.ts";

/** A resource of the session that is closed when it ends. */
export type Closable = { close(): unknown };

export class OpenedResources {
  readonly #logger: Logger;
  readonly #opened: Closable[] = [];
  #isClosing = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Registers a resource; closes it at once if the session is already over. Returns it. */
  keep<T extends Closable>(opened: T): T {
    if (this.#isClosing) void this.#closeOne(opened);
    else this.#opened.push(opened);
    return opened;
  }

  /** Closes everything, one after the other. Never rejects. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const opened of this.#opened.reverse()) await this.#closeOne(opened);
  }

  /** Never rejects: the process releases everything that could not be closed when it exits. */
  async #closeOne(opened: Closable): Promise<void> {
    try {
      await opened.close();
    } catch (error) {
      this.#logger.warn({ err: error }, "resource of the avatar session not closed");
    }
  }
}
