// Ends a request to a server that is silent for too long, and the wait for it when the caller gives up.
import { EngineError } from "../../../shared/engine-error.ts";
import type { LlmLimits } from "./llm-turn.ts";
import { RefusedRequest } from "./refused-request.ts";

/** Watches one request. Only time spent waiting for the server counts, not the listener's. */
export class AnswerWatch {
  readonly #limits: LlmLimits;
  readonly #late = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #leftMs = 0;
  #lateMessage = "";
  #waitedMs = 0;
  #hasThought = false;
  #isTail = false;
  /** For the request. */
  readonly signal: AbortSignal;

  constructor(limits: LlmLimits, outer: AbortSignal | undefined) {
    this.#limits = limits;
    this.#outer = outer;
    this.signal = outer ? AbortSignal.any([this.#late.signal, outer]) : this.#late.signal;
    this.#awaitSign(limits.firstMs);
  }

  /** Whether the limit has passed. */
  get isLate(): boolean {
    return this.#late.signal.aborted;
  }

  /** Whether the caller does not want the answer any more. */
  get isGivenUp(): boolean {
    return this.#outer?.aborted === true;
  }

  /** Whether the server was about to answer: asking again would take as long. */
  get hasThought(): boolean {
    return this.#hasThought;
  }

  /** Waits for something of the server. Aborts the request when the limit passes. */
  async wait<T>(awaited: Promise<T>): Promise<T> {
    const startMs = performance.now();
    const timer = setTimeout(() => this.#late.abort(), Math.max(0, this.#leftMs));
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
      const waitedMs = performance.now() - startMs;
      this.#waitedMs += waitedMs;
      this.#leftMs -= waitedMs;
    }
  }

  /** Words or a call arrived: the limit starts again. */
  restart(): void {
    this.#awaitSign(this.#limits.stallMs);
  }

  /** A thought arrived: the limit starts again, up to the time that thinking may take. */
  restartForThought(): void {
    this.#hasThought = true;
    const { stallMs, thinkingMs } = this.#limits;
    const leftMs = thinkingMs - this.#waitedMs;
    if (leftMs > stallMs) this.#awaitSign(stallMs);
    else if (!this.#isTail) {
      this.#leftMs = leftMs;
      this.#lateMessage = `The model was still thinking after ${thinkingMs / 1000} s.`;
    }
  }

  /** The answer is complete: only the end of its stream is awaited. */
  startTail(): void {
    if (this.#isTail) return;
    this.#isTail = true;
    this.#leftMs = this.#limits.tailMs;
  }

  /** Drops the connection if it still sends. */
  end(): void {
    this.#late.abort();
  }

  /** What the caller is told. */
  errorOf(cause: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (cause instanceof EngineError || cause instanceof RefusedRequest) return cause;
    if (!this.isLate) {
      return new EngineError("upstream-unavailable", "The model server cannot be reached, or broke off.", { cause });
    }
    return new EngineError("timeout", this.#lateMessage, { cause });
  }

  #awaitSign(ms: number): void {
    if (this.#isTail) return;
    this.#leftMs = ms;
    this.#lateMessage = `The model server sent nothing for ${ms / 1000} s.`;
  }
}
