// One client of the realtime server: its socket on one side, its session on the other.
import type { RawData, WebSocket } from "ws";
import { bytesOutsideStrings } from "../../program/http/bytes-outside-strings.ts";
import { EVENT_TOO_LARGE, MAX_EVENT_BYTES, MAX_STRUCTURE_BYTES } from "../../shared/realtime-events.ts";

/** A session, in audio or in text. */
export interface ConnectedSession {
  start(): void;
  receive(event: unknown): void;
  /** A frame was no event. `code`: default `invalid_json`. */
  refuse(message: string, code?: string): void;
  close(): void;
}

/** A client that does not answer a ping until the next one is gone, ms. */
const PING_MS = 15_000;
/** More than this in the socket: nothing is read from the client until it has read. */
const PAUSE_BYTES = 1_000_000;
/** More than this: the client never reads. Ten seconds of audio take .7 MB. */
const MOST_BYTES = 16_000_000;
/** Once a client has sent the most frames or bytes of this time, nothing is read until it is over, ms. The sessions of
 *  the worker share one thread. A frame that is larger is paid for with the next turns. */
const TURN_MS = 100;
/** Twenty times as many as a microphone needs, at 20 ms a frame. Five thousand a second took a core from all sessions
 *  of the machine. */
const MOST_FRAMES = 100;
const MOST_FRAME_BYTES = 2_000_000;
/** Structure costs a parser up to 1 µs a byte, a string some nanoseconds. */
const STRUCTURE_WEIGHT = 128;
/** A close that the client does not answer, ms. */
const CLOSE_MS = 1_000;

/** Of RFC 6455: the server goes away, or is asked to try again later. */
export const CLOSE_TRY_AGAIN = 1013;
const CLOSE_NORMAL = 1000;
const CLOSE_POLICY = 1008;

export interface RealtimeConnectionOptions {
  socket: WebSocket;
  /** Opens the session, which sends through the callback. `end` closes the connection. */
  open(send: (event: unknown) => void, end: () => void): ConnectedSession;
  onClosed(): void;
  /** Default 15,000. */
  pingMs?: number;
}

/** Answers its client from `start()` until either ends it. */
export class RealtimeConnection {
  readonly #socket: WebSocket;
  readonly #session: ConnectedSession;
  readonly #onClosed: () => void;
  readonly #pingMs: number;
  #pings: NodeJS.Timeout | undefined;
  #isAlive = true;
  /** What was read in this turn, and what an earlier turn still owes. */
  #frames = 0;
  #bytes = 0;
  #turn: NodeJS.Timeout | undefined;

  constructor({ socket, open, onClosed, pingMs = PING_MS }: RealtimeConnectionOptions) {
    this.#socket = socket;
    this.#onClosed = onClosed;
    this.#pingMs = pingMs;
    this.#session = open(
      (event) => this.#send(event),
      () => this.close(CLOSE_NORMAL, "The session has ended."),
    );
  }

  /** Once, in the turn in which the socket was opened. */
  start(): void {
    this.#socket
      .on("message", (data, isBinary) => this.#take(data, isBinary))
      .on("pong", () => {
        this.#isAlive = true;
      })
      // The close that follows says it all: frames that are too large, broken ones, a connection that was reset.
      .on("error", () => undefined)
      .on("close", () => {
        clearInterval(this.#pings);
        clearTimeout(this.#turn);
        this.#session.close();
        this.#onClosed();
      });
    this.#pings = setInterval(() => this.#ping(), this.#pingMs);
    this.#session.start();
  }

  /** Ends the session, then the connection, within a second. Idempotent. */
  close(code: number, reason: string): void {
    this.#session.close();
    this.#socket.close(code, reason);
    this.#socket.resume();
    setTimeout(() => this.#socket.terminate(), CLOSE_MS).unref();
  }

  #take(data: RawData, isBinary: boolean): void {
    // The server never changes `binaryType`, so messages are single buffers.
    const frame = data as Buffer;
    const structureBytes = bytesOutsideStrings(frame, MAX_STRUCTURE_BYTES);
    this.#count(frame.length + STRUCTURE_WEIGHT * structureBytes);
    if (frame.length > MAX_EVENT_BYTES || structureBytes > MAX_STRUCTURE_BYTES) {
      this.#session.refuse(EVENT_TOO_LARGE.message, EVENT_TOO_LARGE.code);
      return;
    }
    const event = isBinary ? undefined : parseJson(String(frame));
    if (event === undefined) this.#session.refuse(`The frame is ${isBinary ? "binary" : "not JSON"}. Events are JSON.`);
    else this.#session.receive(event);
  }

  #count(cost: number): void {
    this.#frames += 1;
    this.#bytes += cost;
    this.#startTurn();
    if (this.#isBeyondTurn) this.#socket.pause();
  }

  #startTurn(): void {
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined;
      this.#frames = 0;
      this.#bytes = Math.max(0, this.#bytes - MOST_FRAME_BYTES);
      if (this.#bytes > 0) this.#startTurn();
      this.#readOn();
    }, TURN_MS);
  }

  get #isBeyondTurn(): boolean {
    return this.#frames >= MOST_FRAMES || this.#bytes >= MOST_FRAME_BYTES;
  }

  #readOn(): void {
    const socket = this.#socket;
    if (socket.isPaused && !this.#isBeyondTurn && socket.bufferedAmount < PAUSE_BYTES / 2) socket.resume();
  }

  #send(event: unknown): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(event), () => this.#readOn());
    if (socket.bufferedAmount > MOST_BYTES) {
      this.close(CLOSE_POLICY, "The client does not read.");
    } else if (socket.bufferedAmount > PAUSE_BYTES) socket.pause();
  }

  #ping(): void {
    if (!this.#isAlive) this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }
}

/** Undefined if it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
