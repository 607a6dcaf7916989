// Reports the messages of a conversation to the api: each once, in order, also when the api was away for a time.
import type { Logger } from "../../../program/log.ts";
import { TokenBucket } from "../../../program/token-bucket.ts";
import {
  MESSAGE_BURST,
  MESSAGE_BURST_BYTES,
  MESSAGE_BYTES_PER_SECOND,
  MESSAGES_PER_SECOND,
  messageBytes,
} from "../../../shared/message-limits.ts";
import type { AnswerLatency, MessageReport, SessionMessage } from "../../../shared/runtime-api.ts";
import type { SpokenMessage, TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";

/** Messages that may wait for an api that is away: an hour of conversation. Older ones are dropped and counted. */
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 2_000_000;
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
  /** Messages that earlier processes have dropped. */
  dropped: number;
  logger: Logger;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

export class MessageReports {
  readonly #options: MessageReportsOptions;
  #waiting: SessionMessage[];
  #waitingBytes: number;
  #lastSeq: number;
  #releasedSeq: number;
  #dropped: number;
  readonly #messages: TokenBucket;
  readonly #bytes: TokenBucket;
  #sending: Promise<void> | undefined;
  #isOver = false;
  #stop: () => void = () => undefined;

  constructor(options: MessageReportsOptions) {
    this.#options = options;
    this.#waiting = [...options.waiting];
    this.#waitingBytes = bytesOf(this.#waiting);
    this.#lastSeq = Math.max(options.lastSeq, this.#waiting.at(-1)?.seq ?? 0);
    this.#releasedSeq = this.#lastSeq;
    this.#dropped = options.dropped;
    this.#messages = new TokenBucket({ perSecond: MESSAGES_PER_SECOND, burst: MESSAGE_BURST }, options.now);
    this.#bytes = new TokenBucket({ perSecond: MESSAGE_BYTES_PER_SECOND, burst: MESSAGE_BURST_BYTES }, options.now);
  }

  /** Reports what earlier processes could not. Once. */
  start(): void {
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

  /** Messages that are never reported: more came than people say, or too many wait. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a message, which is reported once its number is released. */
  add({ role, text, at, times }: SpokenMessage): void {
    const message = text.slice(0, MAX_CHARACTERS);
    if (this.#messages.waitMs > 0 || this.#bytes.waitMs > 0) {
      this.#drop();
      return;
    }
    this.#messages.take(1);
    const bytes = messageBytes({ message });
    this.#bytes.take(bytes);
    this.#lastSeq += 1;
    const timestamp = at.toISOString();
    this.#waiting.push({ seq: this.#lastSeq, role, message, timestamp, ...(times && { latency: latencyOf(times) }) });
    this.#waitingBytes += bytes;
    while (this.#waiting.length > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#waitingBytes -= bytesOf(this.#waiting.splice(0, 1));
      this.#drop();
    }
  }

  /** Reports messages up to this number. */
  release(seq: number): void {
    this.#releasedSeq = Math.max(this.#releasedSeq, seq);
    this.#send();
  }

  /** Reports what waits, for three seconds at most. Idempotent. */
  async close(): Promise<void> {
    this.release(this.#lastSeq);
    if (this.#dropped > 0)
      this.#options.logger.warn({ dropped: this.#dropped }, "messages of the conversation dropped");
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS);
    });
    await Promise.race([this.#sending, limit]);
    clearTimeout(timer);
    this.#isOver = true;
    this.#stop();
  }

  #drop(): void {
    if (this.#dropped === 0) this.#options.logger.warn("too much is said, some messages are never reported");
    this.#dropped += 1;
  }

  /** What may be reported now, the next batch of it. */
  get #released(): SessionMessage[] {
    return this.#waiting.slice(0, BATCH).filter(({ seq }) => seq <= this.#releasedSeq);
  }

  #send(): void {
    if (this.#isOver || this.#released.length === 0) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (this.#released.length > 0 && !this.#isOver) {
      const messages = this.#released;
      try {
        await this.#options.api.reportMessages({ messages });
        const sentSeq = messages.at(-1)?.seq ?? 0;
        this.#waiting = this.#waiting.filter(({ seq }) => seq > sentSeq);
        this.#waitingBytes = bytesOf(this.#waiting);
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

function bytesOf(messages: readonly SessionMessage[]): number {
  return messages.reduce((sum, message) => sum + messageBytes(message), 0);
}

function latencyOf({ isTyped, textMs, decidedMs, firstPieceMs, firstSoundMs }: TurnTimes): AnswerLatency {
  return {
    is_typed: isTyped,
    text_ms: textMs,
    decided_ms: decidedMs,
    words_ms: firstPieceMs ?? null,
    sound_ms: firstSoundMs ?? null,
  };
}
