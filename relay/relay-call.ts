// A realtime call: a connection to the server that answers, a meter, and an end with a reason. It does not depend on
// how its client is connected: a WebSocket today, WebRTC as well.
//
// new      The upstream is connected and not read. The meter runs: the upstream's slot is taken.
// running  `begin()`: events flow.
// ended    `end()`: both sides are closed and the meter stands still. Final.
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import type { OpenedCall } from "../shared/realtime-api.ts";
import { type CallEnd, type OwnEnd, ownEnd } from "./call-end.ts";
import { judgeEvent, lockedEvent } from "./model-lock.ts";
import { PacedSocket } from "./paced-socket.ts";
import type { Direction } from "./relay-metrics.ts";

/** The client of a call, whatever connects it. */
export interface CallClient {
  /** Takes an event of the upstream. Returns false if more should wait until the client calls `call.resume()`. */
  send(data: Buffer | string, isBinary: boolean): boolean;
  /** The upstream takes more events again, after `call.send` has returned false. */
  onDrain(): void;
  /** The call has ended, unless the client ended it. Must not throw. */
  close(end: CallEnd): void;
}

export interface RelayCallOptions {
  opened: OpenedCall;
  /** Open and paused. The call closes it. */
  upstream: WebSocket;
  /** Monotonic time in ms. */
  now: () => number;
  /** Once, with the reason. */
  onEnd(call: RelayCall, end: CallEnd): void;
  /** For the metrics. */
  onBytes(direction: Direction, bytes: number): void;
  /** For the metrics: the next socket has taken an event, `waitMs` after it arrived. */
  onSent(direction: Direction, waitMs: number): void;
}

export class RelayCall {
  readonly id: string;
  /** As the caller names it. */
  readonly model: string;
  readonly #options: RelayCallOptions;
  readonly #upstream: PacedSocket;
  readonly #openedMs: number;
  #client: CallClient | null = null;
  #endedMs: number | null = null;
  /** Seconds at which the account's credits are used up, as the api last said. */
  #limitSeconds: number;

  constructor(options: RelayCallOptions) {
    this.#options = options;
    this.id = options.opened.call_id;
    this.model = options.opened.model;
    this.#openedMs = options.now();
    this.#limitSeconds = options.opened.limit_seconds ?? Number.POSITIVE_INFINITY;
    this.#upstream = new PacedSocket(options.upstream, {
      onEvent: (data, isBinary) => this.#passDown(data, isBinary),
      onClose: (code, text) => this.#noteUpstreamClosed(code, text),
      onDrain: () => this.#client?.onDrain(),
      onSent: (waitMs) => options.onSent("to_upstream", waitMs),
    });
  }

  get hasEnded(): boolean {
    return this.#endedMs !== null;
  }

  /** Time since the upstream was connected, until now or the call's end. Never beyond the credits. */
  get seconds(): number {
    const elapsed = ((this.#endedMs ?? this.#options.now()) - this.#openedMs) / 1000;
    return Math.min(Math.max(0, elapsed), this.#limitSeconds);
  }

  /** Ends the call at this many seconds, unless another limit follows. Infinity for no limit. */
  limit(seconds: number): void {
    if (this.hasEnded) return;
    this.#limitSeconds = seconds;
    this.checkLimit();
  }

  /** Ends the call if the credits are used up. */
  checkLimit(): void {
    if (this.seconds >= this.#limitSeconds) this.end("balance_exhausted");
  }

  /** The client is connected: reads the upstream. Not if the call has ended meanwhile. */
  begin(client: CallClient): void {
    if (this.hasEnded || this.#client) return;
    this.#client = client;
    this.#upstream.resume();
  }

  /** Passes an event of the client to the upstream, unless it would change the model. Returns false if the client
   *  should wait for `onDrain`. */
  send(data: Buffer, isBinary: boolean): boolean {
    if (this.hasEnded) return true;
    const verdict = judgeEvent(data, {
      name: this.model,
      upstreamName: this.#options.opened.upstream.model,
    });
    if (verdict.kind === "locked") {
      this.#sendDown(lockedEvent(verdict.eventId, `event_${randomUUID().replaceAll("-", "")}`), false);
      return true;
    }
    this.#options.onBytes("to_upstream", data.length);
    return verdict.kind === "pass"
      ? this.#upstream.send(data, isBinary)
      : this.#upstream.send(verdict.replacement, false);
  }

  /** Reads the upstream again, after the client's `send` has returned false. */
  resume(): void {
    if (!this.hasEnded) this.#upstream.resume();
  }

  /** The client's socket has taken an event, `waitMs` after it arrived here. */
  noteSentDown(waitMs: number): void {
    this.#options.onSent("to_client", waitMs);
  }

  /** Ends the call for a reason of the service's own, or as its client did. Idempotent: the first reason counts. */
  end(reason: OwnEnd | CallEnd): void {
    if (this.hasEnded) return;
    this.#endedMs = this.#options.now();
    const end = typeof reason === "string" ? ownEnd(reason) : reason;
    const isClients = end.reason === "client_closed";
    // The server learns the client's own code, and nothing about balances.
    this.#upstream.close(isClients ? end.code : 1000, isClients ? end.text : "");
    if (!isClients) this.#client?.close(end);
    this.#options.onEnd(this, end);
  }

  #passDown(data: Buffer, isBinary: boolean): void {
    if (this.hasEnded) return;
    this.#options.onBytes("to_client", data.length);
    this.#sendDown(data, isBinary);
  }

  #sendDown(data: Buffer | string, isBinary: boolean): void {
    if (this.#client && !this.#client.send(data, isBinary)) this.#upstream.pause();
  }

  #noteUpstreamClosed(code: number, text: string): void {
    if (code === 1009) this.end("too_large");
    else if (code === 1006) this.end("upstream_lost");
    else this.end({ reason: "upstream_closed", code, text });
  }
}
