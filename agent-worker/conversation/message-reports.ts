// Reports the messages of a conversation to the api: each once, in order, also when the api was away for a time.
import type { Logger } from "../../shared/log.ts";
import type { MessageReport, SessionMessage } from "../../shared/runtime-api.ts";

/** Messages that may wait; an hour of talk. Older ones are dropped, which is logged. */
const MAX_WAITING = 1_000;
const BATCH = 100;
const MAX_CHARACTERS = 20_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** At the end of the session, ms. */
const LAST_WORDS_MS = 3_000;

export interface MessageReportsOptions {
  api: {
    /** Throws if the api cannot be reached or refuses. */
    reportMessages(report: MessageReport): Promise<void>;
    /** Whether the api has refused for good. */
    isRefusal(error: unknown): boolean;
  };
  /** Number of the last message that was reported, or waits. */
  lastSeq: number;
  /** Messages that an earlier process could not report. */
  waiting: readonly SessionMessage[];
  logger: Logger;
}

export class MessageReports {
  readonly #options: MessageReportsOptions;
  #waiting: SessionMessage[];
  #lastSeq: number;
  #sending: Promise<void> | undefined;
  #isOver = false;
  #stop: () => void = () => undefined;

  constructor(options: MessageReportsOptions) {
    this.#options = options;
    this.#waiting = [...options.waiting];
    this.#lastSeq = Math.max(options.lastSeq, this.#waiting.at(-1)?.seq ?? 0);
    this.#send();
  }

  /** Number of the last message. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Messages that are not reported yet. */
  get waiting(): readonly SessionMessage[] {
    return this.#waiting;
  }

  add({ role, text, at }: { role: "user" | "assistant"; text: string; at: Date }): void {
    this.#lastSeq += 1;
    const message = text.slice(0, MAX_CHARACTERS);
    this.#waiting.push({ seq: this.#lastSeq, role, message, timestamp: at.toISOString() });
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#options.logger.warn("a message of the conversation was never reported: too many wait");
    }
    this.#send();
  }

  /** Reports what waits, for three seconds at most. Idempotent. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS);
    });
    await Promise.race([this.#sending, limit]);
    clearTimeout(timer);
    this.#isOver = true;
    this.#stop();
  }

  #send(): void {
    if (this.#isOver || this.#waiting.length === 0) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (this.#waiting.length > 0 && !this.#isOver) {
      const messages = this.#waiting.slice(0, BATCH);
      try {
        await this.#options.api.reportMessages({ messages });
        const sentSeq = messages.at(-1)?.seq ?? 0;
        this.#waiting = this.#waiting.filter(({ seq }) => seq > sentSeq);
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (this.#options.api.isRefusal(error)) {
          // The session has ended, or another worker has it.
          this.#options.logger.warn({ err: error }, "messages of the conversation refused");
          this.#isOver = true;
          return;
        }
        this.#options.logger.debug({ err: error }, "messages of the conversation not reported");
        await this.#pause(retryMs);
        retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms * (0.75 + Math.random() / 2));
      this.#stop = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
