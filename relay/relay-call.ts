// A realtime call: a connection to the server that answers, a meter, and an end with a reason. It does not depend on
// how its client is connected: a WebSocket today, WebRTC as well.
//
// new      The upstream is connected and not read. The meter runs: the upstream's slot is taken.
// running  `begin()`: events flow.
// ended    `end()`: both sides are closed and the meter stands still. Final.
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { defineMoves, StateMachine } from "../program/state-machine.ts";
import { TokenBucket } from "../program/token-bucket.ts";
import type { OpenedCall } from "../shared/realtime-api.ts";
import { EVENT_TOO_LARGE } from "../shared/realtime-events.ts";
import { SERVICE_REALTIME_MODEL } from "../shared/wire-names.ts";
import { type CallEnd, type OwnEnd, ownEnd } from "./call-end.ts";
import { judgeEvent, MODEL_LOCKED, mayChangeModel } from "./model-lock.ts";
import { PacedSocket } from "./paced-socket.ts";
import type { Direction } from "./relay-metrics.ts";

/** Bytes of events that have to be judged. All calls of the relay share its thread, and judging takes up to 30 ns a
 *  byte. Plain audio is passed on unjudged. */
const JUDGED_BYTES = Object.freeze({ perSecond: 1024 * 1024, burst: 8 * 1024 * 1024 });

/** The client of a call, whatever connects it. */
export interface CallClient {
  /** Takes an event of the upstream. Returns false if more should wait until the client calls `call.resume()`. */
  send(data: Buffer | string, isBinary: boolean): boolean;
  /** The upstream takes more events again, after `call.send` has returned false. */
  onDrain(): void;
  /** Bytes that wait for the client, or of an event of it that has not arrived as a whole. */
  heldBytes(): number;
  /** The call has ended, unless the client ended it. Must not throw. */
  close(end: CallEnd): void;
}

/** What a client does with its call. */
export type ClientCall = Pick<RelayCall, "begin" | "send" | "resume" | "end" | "hasEnded">;

export interface RelayCallOptions {
  opened: OpenedCall;
  /** Open and paused. The call closes it. */
  upstream: WebSocket;
  /** The connection below it. */
  connection: Socket;
  /** Monotonic time in ms. */
  now: () => number;
  /** Once, with the reason. */
  onEnd(call: RelayCall, end: CallEnd): void;
  /** For the metrics. */
  onBytes(direction: Direction, bytes: number): void;
  /** For the metrics: the next socket has taken an event, `waitMs` after it arrived. */
  onSent(direction: Direction, waitMs: number): void;
}

type CallState = "new" | "running" | "ended";

const MOVES = defineMoves<CallState>({ new: ["running", "ended"], running: ["ended"], ended: [] });

export class RelayCall {
  readonly id: string;
  /** As the caller names it. */
  readonly model: string;
  readonly #options: RelayCallOptions;
  readonly #upstream: PacedSocket;
  readonly #state = new StateMachine(MOVES, "new");
  readonly #openedMs: number;
  #client: CallClient | null = null;
  #endedMs: number | null = null;
  /** Seconds at which the account's credits are used up, as the api last said. */
  #limitSeconds: number;
  readonly #judged = new TokenBucket(JUDGED_BYTES);
  #pacing: NodeJS.Timeout | undefined;
  #isUpstreamFull = false;

  constructor(options: RelayCallOptions) {
    this.#options = options;
    this.id = options.opened.call_id;
    this.model = options.opened.model;
    this.#openedMs = options.now();
    this.#limitSeconds = options.opened.limit_seconds ?? Number.POSITIVE_INFINITY;
    this.#upstream = new PacedSocket(options.upstream, {
      connection: options.connection,
      onEvent: (data, isBinary) => this.#passDown(data, isBinary),
      onClose: (code, text) => this.#noteUpstreamClosed(code, text),
      onDrain: () => {
        this.#isUpstreamFull = false;
        if (this.#takesMore) this.#client?.onDrain();
      },
      onSent: (waitMs) => options.onSent("to_upstream", waitMs),
    });
  }

  /** Takes over the upstream. Once, at once. */
  start(): void {
    this.#upstream.start();
  }

  get hasEnded(): boolean {
    return this.#state.is("ended");
  }

  /** Bytes that the call keeps in memory, both ways. */
  get heldBytes(): number {
    return this.#upstream.heldBytes + (this.#client?.heldBytes() ?? 0);
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
    if (!this.#state.is("new")) return;
    this.#state.enter("running");
    this.#client = client;
    this.#upstream.resume();
  }

  /** Passes an event of the client to the upstream, unless it would change the model. Returns false if the client
   *  should wait for `onDrain`. */
  send(data: Buffer, isBinary: boolean): boolean {
    if (this.hasEnded) return true;
    // Our own server has one model, and leaves out the name of another.
    if (this.model === SERVICE_REALTIME_MODEL || !mayChangeModel(data)) return this.#sendUp(data, isBinary);
    this.#judged.take(data.length);
    const verdict = judgeEvent(data, { name: this.model, upstreamName: this.#options.opened.upstream.model });
    if (verdict.kind === "locked") this.#refuse(MODEL_LOCKED, verdict.eventId);
    else if (verdict.kind === "too_large") this.#refuse(EVENT_TOO_LARGE);
    else if (verdict.kind === "replaced") this.#sendUp(verdict.replacement, false);
    else this.#sendUp(data, isBinary);
    this.#pace();
    return this.#takesMore;
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
    this.#state.enter("ended");
    this.#endedMs = this.#options.now();
    clearTimeout(this.#pacing);
    const end = typeof reason === "string" ? ownEnd(reason) : reason;
    const isClients = end.reason === "client_closed";
    // The server learns the client's own code, and nothing about balances.
    this.#upstream.close(isClients ? end.code : 1000, isClients ? end.text : "");
    if (!isClients) this.#client?.close(end);
    this.#options.onEnd(this, end);
  }

  #sendUp(data: Buffer | string, isBinary: boolean): boolean {
    this.#options.onBytes("to_upstream", data.length);
    this.#isUpstreamFull = !this.#upstream.send(data, isBinary);
    return this.#takesMore;
  }

  /** Nothing is read from the client until its events may be judged again. */
  #pace(): void {
    const { waitMs } = this.#judged;
    if (waitMs === 0) return;
    this.#pacing ??= setTimeout(() => {
      this.#pacing = undefined;
      if (!this.hasEnded && this.#takesMore) this.#client?.onDrain();
    }, waitMs);
  }

  get #takesMore(): boolean {
    return !this.#isUpstreamFull && this.#pacing === undefined;
  }

  /** Tells the client why its event was kept back. */
  #refuse(error: { code: string; message: string; param?: string }, eventId: string | null = null): void {
    const event = {
      type: "error",
      event_id: `event_${randomUUID().replaceAll("-", "")}`,
      error: { type: "invalid_request_error", param: null, ...error, event_id: eventId },
    };
    this.#sendDown(JSON.stringify(event), false);
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
