// The session with a realtime server that leads a conversation: it is set up, and commands wait for that.
//
//   new      nothing has happened                                    → opening (`start`), over (closed)
//   opening  the connection is being made, and the session set up    → open, over
//   open     commands go out                                         → over (a fault, or closed)
//   over     nothing goes out or comes in                              (final)
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import {
  type ConnectRealtime,
  parseServerEvent,
  type RealtimeLink,
  type ServerEvent,
} from "../../providers/realtime-link.ts";
import { type RemoteSetupOptions, sessionSetups } from "./remote-setup.ts";

/** A session that is not set up within this time is a fault, ms. */
export const SETUP_MS = 8_000;
/** Commands that wait for the session to be set up. */
const MOST_WAITING = 200;
const SETUP_ID = "setup";

const MOVES = defineMoves<"new" | "opening" | "open" | "over">({
  new: ["opening", "over"],
  opening: ["open", "over"],
  open: ["over"],
  over: [],
});

export interface RemoteSessionOptions {
  connect: ConnectRealtime;
  setup: RemoteSetupOptions;
  /** It is set up. Once. */
  onOpened(): void;
  /** Every event that is not about the session itself. */
  onEvent(event: ServerEvent): void;
  /** A command that named itself by this id was refused. */
  onRefused(eventId: string): void;
  /** It cannot go on, `openMs` after it was set up; 0 if it never was. Once, and not after `close`. */
  onFailed(error: unknown, openMs: number): void;
}

export class RemoteSession {
  readonly #options: RemoteSessionOptions;
  #setupTimer: NodeJS.Timeout | undefined;
  #link: RealtimeLink | undefined;
  readonly #state = new StateMachine(MOVES, "new");
  /** Ways to set up the session that were not tried yet. */
  #setups: object[] = [];
  #waiting: object[] = [];
  #openedAtMs: number | undefined;
  /** Names of functions that the server has by itself. */
  #ownFunctions = new Set<string | undefined>();

  constructor(options: RemoteSessionOptions) {
    this.#options = options;
  }

  /** Connects. Once. */
  start(): void {
    this.#state.enter("opening");
    this.#setupTimer = setTimeout(() => this.fail(new Error("the realtime server did not set up a session")), SETUP_MS);
    try {
      this.#link = this.#options.connect({
        onEvent: (event) => this.#take(event),
        onClosed: (error) => this.fail(error),
      });
    } catch (error) {
      queueMicrotask(() => this.fail(error));
    }
  }

  get isOpen(): boolean {
    return this.#state.is("open");
  }

  get isOver(): boolean {
    return this.#state.is("over");
  }

  /** Whether the server has this function by itself, and runs it. */
  hasFunction(name: string | undefined): boolean {
    return this.#ownFunctions.has(name);
  }

  /** Sends a command, once the session is set up. */
  send(command: object): void {
    if (this.isOpen) this.#link?.send(command);
    else if (!this.isOver && this.#waiting.length < MOST_WAITING) this.#waiting.push(command);
  }

  /** Gives it up. */
  fail(error: unknown): void {
    if (this.isOver) return;
    this.close();
    this.#options.onFailed(error, this.#openedAtMs === undefined ? 0 : performance.now() - this.#openedAtMs);
  }

  /** Idempotent. */
  close(): void {
    if (this.isOver) return;
    this.#state.enter("over");
    clearTimeout(this.#setupTimer);
    this.#waiting = [];
    this.#link?.close();
  }

  #take(value: unknown): void {
    const event = this.isOver ? undefined : parseServerEvent(value);
    if (!event) return;
    if (event.type === "session.created") this.#setUp(event);
    else if (event.type === "session.updated") this.#opened();
    else if (event.type === "error") this.#onError(event);
    else this.#options.onEvent(event);
  }

  /** The server shows by its session which spelling it knows. */
  #setUp({ session }: ServerEvent): void {
    this.#ownFunctions = new Set(session?.tools?.map(({ name }) => name));
    this.#setups = sessionSetups(session, this.#options.setup);
    this.#trySetup();
  }

  #trySetup(): void {
    const session = this.#setups.shift();
    if (!session) this.fail(new Error("the realtime server refuses every setting"));
    else this.#link?.send({ type: "session.update", event_id: SETUP_ID, session });
  }

  #opened(): void {
    if (!this.#state.is("opening")) return;
    this.#state.enter("open");
    this.#openedAtMs = performance.now();
    clearTimeout(this.#setupTimer);
    for (const command of this.#waiting.splice(0)) this.#link?.send(command);
    this.#options.onOpened();
  }

  #onError({ error }: ServerEvent): void {
    const eventId = error?.event_id;
    if (this.#state.is("opening") && eventId === SETUP_ID) this.#trySetup();
    else if (this.#state.is("opening") || isFatal(error?.code)) {
      this.fail(new Error(`the realtime server has reported an error: ${error?.code ?? "unknown"}`));
    } else if (eventId) this.#options.onRefused(eventId);
    // Others are about things that have passed, such as a cancellation that comes too late.
  }
}

/** Errors after which a server answers nothing more. */
function isFatal(code: string | null | undefined): boolean {
  return /quota|api_key|deactivated|billing|expired/.test(code ?? "");
}
