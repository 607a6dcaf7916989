// A WebSocket with bounded memory and a heartbeat: tells its sender when to wait, and ends a peer that vanished.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { isSendable } from "./call-end.ts";

/** Largest event, both ways. Source: the contract of the relay. */
export const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** Pieces in which an event may arrive: each takes memory besides its bytes. TCP makes 12,000 of the largest. */
export const MAX_EVENT_CHUNKS = 32_768;
/** Above this many unsent bytes the other side is not read. */
const FULL_BYTES = 1024 * 1024;
/** Below this many it is read again. */
const DRAINED_BYTES = 256 * 1024;
/** Memory of a waiting event besides its bytes: small ones count as well. */
export const EVENT_OVERHEAD_BYTES = 256;
const PING_MS = 30_000;
/** A peer that has not answered this many pings, or has taken no event of a full queue in this many intervals, is
 *  gone. */
const MISSED_PINGS = 2;
/** A peer gets this long to answer a close frame. */
const CLOSE_MS = 5_000;

export interface PacedSocketOptions {
  onEvent(data: Buffer, isBinary: boolean): void;
  /** Once, after the connection has ended. 1006 if the peer vanished, 1009 if it sent too much. */
  onClose(code: number, text: string): void;
  /** Called once `send` has returned false and the peer has read enough. */
  onDrain(): void;
  /** The system has taken an event, `waitMs` after `send`. Default: not told. */
  onSent?(waitMs: number): void;
  /** The connection below, which counts what has been read. */
  connection: Pick<Socket, "bytesRead">;
  /** Interval of pings, in ms. Default 30,000. */
  pingMs?: number;
}

/** Reads and pings from `start()` until the connection has ended. */
export class PacedSocket {
  readonly #socket: WebSocket;
  readonly #options: PacedSocketOptions;
  #pings: NodeJS.Timeout | undefined;
  #isFull = false;
  #isPaused = false;
  #isTooLarge = false;
  #missedPings = 0;
  #unsentBytes = 0;
  /** Intervals in which a full queue did not move. */
  #stalls = 0;
  /** `bytesRead` at the last event. */
  #readBytes: number;
  #closing: NodeJS.Timeout | undefined;

  /** `socket`: open. */
  constructor(socket: WebSocket, options: PacedSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#readBytes = options.connection.bytesRead;
  }

  /** Takes over the socket. Once, before its next event: in the turn in which it was opened, unless it is paused. */
  start(): void {
    const socket = this.#socket;
    const options = this.#options;
    socket.on("message", (data, isBinary) => {
      this.#missedPings = 0;
      this.#readBytes = options.connection.bytesRead;
      // The relay never changes `binaryType`, so messages are single buffers.
      options.onEvent(data as Buffer, isBinary);
    });
    socket.on("pong", () => {
      this.#missedPings = 0;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // `close` follows. The message may quote what the peer sent, so it goes nowhere.
      this.#isTooLarge ||= error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
    });
    socket.once("close", (code, reason) => {
      clearInterval(this.#pings);
      clearTimeout(this.#closing);
      options.onClose(this.#isTooLarge ? 1009 : code, reason.toString());
    });
    this.#pings = setInterval(() => this.#ping(), options.pingMs ?? PING_MS);
    this.#pings.unref();
  }

  /** Bytes that wait here: unsent events, and the part of an event that has arrived. */
  get heldBytes(): number {
    return this.#unsentBytes + this.#options.connection.bytesRead - this.#readBytes;
  }

  /** Sends an event. Returns false if the sender should wait for `onDrain`; the event is sent all the same. */
  send(data: Buffer | string, isBinary: boolean): boolean {
    const startedMs = performance.now();
    const bytes = Buffer.byteLength(data) + EVENT_OVERHEAD_BYTES;
    this.#unsentBytes += bytes;
    this.#socket.send(data, { binary: isBinary, compress: false }, (error) => {
      if (!error) this.#options.onSent?.(performance.now() - startedMs);
      this.#unsentBytes -= bytes;
      this.#stalls = 0;
      this.#noteSent();
    });
    this.#isFull ||= this.#unsentBytes > FULL_BYTES;
    return !this.#isFull;
  }

  /** Stops reading. What has arrived already (64 KiB at most, or one event) is still passed on. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#missedPings = 0;
    this.#socket.resume();
  }

  /** Ends the connection with this code, after what was sent. A code that cannot be sent is left out. Idempotent. */
  close(code: number, text: string): void {
    if (this.#closing !== undefined || this.#socket.readyState === this.#socket.CLOSED) return;
    // The peer's answer has to be read.
    this.#socket.resume();
    if (isSendable(code)) this.#socket.close(code, text);
    else this.#socket.close();
    this.#closing = setTimeout(() => this.#socket.terminate(), CLOSE_MS);
  }

  #noteSent(): void {
    if (!this.#isFull || this.#unsentBytes > DRAINED_BYTES) return;
    this.#isFull = false;
    this.#options.onDrain();
  }

  #ping(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#missedPings >= MISSED_PINGS || this.#stalls >= MISSED_PINGS) {
      this.#socket.terminate();
      return;
    }
    if (this.#isFull) this.#stalls += 1;
    // While it is not read, no answer can arrive.
    if (this.#isPaused) return;
    this.#missedPings += 1;
    this.#socket.ping();
  }
}
