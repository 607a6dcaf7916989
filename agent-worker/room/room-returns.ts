// When the avatar's connection breaks and is restored, the SDK reports everyone in the room as gone, and again as they
// are announced. If the LiveKit server restarted, the others come back by themselves, seconds later. So a participant
// that is gone then has not left: it gets time to return.
//
//   steady        a participant that is gone has left                       → reconnecting
//   reconnecting  the SDK restores the connection, or reports its loss      → returning
//   returning     the connection is back, participants return               → steady after 20 s, or reconnecting
import { ConnectionState, type Room, RoomEvent } from "@livekit/rtc-node";

/** Clients try again within 10 s when a server is back, and it announces those that publish nothing 3 s late. */
export const RETURN_LIMIT_MS = 20_000;

export type ReturnState = "steady" | "reconnecting" | "returning";

export interface RoomReturnsOptions {
  room: Room;
  /** Called after each change. */
  onChange(state: ReturnState): void;
  /** Time for participants to return, ms. Default `RETURN_LIMIT_MS`. */
  limitMs?: number;
}

/** Follows a connected room until it is closed. */
export class RoomReturns {
  readonly #options: RoomReturnsOptions;
  #state: ReturnState = "steady";
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RoomReturnsOptions) {
    this.#options = options;
    options.room.on(RoomEvent.ConnectionStateChanged, this.#onConnection);
  }

  get state(): ReturnState {
    return this.#state;
  }

  /** Stops following. Idempotent. */
  close(): void {
    clearTimeout(this.#timer);
    this.#options.room.off(RoomEvent.ConnectionStateChanged, this.#onConnection);
  }

  #onConnection = (connection: ConnectionState): void => {
    if (connection === ConnectionState.CONN_RECONNECTING) this.#enter("reconnecting");
    else if (connection === ConnectionState.CONN_CONNECTED && this.#state === "reconnecting") this.#enter("returning");
  };

  #enter(state: ReturnState): void {
    clearTimeout(this.#timer);
    this.#state = state;
    if (state === "returning") {
      const { limitMs = RETURN_LIMIT_MS } = this.#options;
      this.#timer = setTimeout(() => this.#enter("steady"), limitMs);
      this.#timer.unref();
    }
    this.#options.onChange(state);
  }
}
