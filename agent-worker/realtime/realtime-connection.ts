// One client of the realtime server: its socket on one side, its session on the other.
import type { RawData, WebSocket } from "ws";

/** A session, in audio or in text. */
export interface ConnectedSession {
  start(): void;
  receive(event: unknown): void;
  /** A frame was no event. */
  refuse(message: string): void;
  close(): void;
}

/** A client that does not answer a ping until the next one is gone, ms. */
const PING_MS = 15_000;
/** More than this in the socket: nothing is read from the client until it has read. */
const PAUSE_BYTES = 1_000_000;
/** More than this: the client never reads. Ten seconds of audio take .7 MB. */
const MOST_BYTES = 16_000_000;
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
}

export class RealtimeConnection {
  readonly #socket: WebSocket;
  readonly #session: ConnectedSession;
  readonly #pings: NodeJS.Timeout;
  #isAlive = true;

  constructor({ socket, open, onClosed }: RealtimeConnectionOptions) {
    this.#socket = socket;
    this.#session = open(
      (event) => this.#send(event),
      () => this.close(CLOSE_NORMAL, "The session has ended."),
    );
    socket
      .on("message", (data, isBinary) => this.#take(data, isBinary))
      .on("pong", () => {
        this.#isAlive = true;
      })
      // The close that follows says it all: frames that are too large, broken ones, a connection that was reset.
      .on("error", () => undefined)
      .on("close", () => {
        clearInterval(this.#pings);
        this.#session.close();
        onClosed();
      });
    this.#pings = setInterval(() => this.#ping(), PING_MS);
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
    const event = isBinary ? undefined : parseJson(String(data));
    if (event === undefined) this.#session.refuse(`The frame is ${isBinary ? "binary" : "not JSON"}. Events are JSON.`);
    else this.#session.receive(event);
  }

  #send(event: unknown): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(event), () => {
      if (socket.isPaused && socket.bufferedAmount < PAUSE_BYTES / 2) socket.resume();
    });
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
