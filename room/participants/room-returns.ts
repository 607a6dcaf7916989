// When the avatar's connection breaks and is restored, the SDK reports everyone in the room as gone, and again as they
// are announced. If the LiveKit server restarted, the others come back by themselves, seconds later. So a participant
// that is gone then has not left: it gets time to return.
//
//   steady        a participant that is gone has left                       → reconnecting
//   reconnecting  the SDK restores the connection, or reports its loss      → returning
//   returning     the connection is back, participants return               → steady after 20 s, or reconnecting
import { ConnectionState, type Room, RoomEvent } from "@livekit/rtc-node";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";

/** Clients try again within 10 s when a server is back, and it announces those that publish nothing 3 s late. */
const RETURN_LIMIT_MS = 20_000;

export type ReturnState = "steady" | "reconnecting" | "returning";

const MOVES = defineMoves<ReturnState>({
  steady: ["reconnecting"],
  reconnecting: ["returning"],
  returning: ["steady", "reconnecting"],
});

/** Where a state of the connection leads. */
const NEXT_STATES: ReadonlyMap<ConnectionState, ReturnState> = new Map([
  [ConnectionState.CONN_RECONNECTING, "reconnecting"],
  [ConnectionState.CONN_CONNECTED, "returning"],
]);

export interface RoomReturnsOptions {
  room: Room;
  /** Called after each change. */
  onChange(state: ReturnState): void;
  /** Time for participants to return, ms. Default `RETURN_LIMIT_MS`. */
  limitMs?: number;
}

/** Follows a connected room from `start()` to `close()`. */
export class RoomReturns {
  readonly #options: RoomReturnsOptions;
  readonly #state = new StateMachine(MOVES, "steady");
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RoomReturnsOptions) {
    this.#options = options;
  }

  /** Once. */
  start(): void {
    this.#options.room.on(RoomEvent.ConnectionStateChanged, this.#onConnection);
  }

  get state(): ReturnState {
    return this.#state.current;
  }

  /** Stops following. Idempotent. */
  close(): void {
    clearTimeout(this.#timer);
    this.#options.room.off(RoomEvent.ConnectionStateChanged, this.#onConnection);
  }

  #onConnection = (connection: ConnectionState): void => {
    const next = NEXT_STATES.get(connection);
    if (next && this.#state.canEnter(next)) this.#enter(next);
  };

  #enter(state: ReturnState): void {
    this.#state.enter(state);
    clearTimeout(this.#timer);
    if (state === "returning") {
      const { limitMs = RETURN_LIMIT_MS } = this.#options;
      this.#timer = setTimeout(() => this.#enter("steady"), limitMs);
      this.#timer.unref();
    }
    this.#options.onChange(state);
  }
}
