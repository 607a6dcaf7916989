// Responses that a realtime server was told to begin, one at a time: a further request takes the place of the one
// before.

/** What event ids of requests begin with. */
const PREFIX = "request-";

export interface RemoteRequestsOptions {
  /** A response that is not begun within this time is late, ms. */
  lateMs: number;
  onLate(): void;
  send(command: object): void;
}

interface PendingRequest {
  timer: NodeJS.Timeout;
  resolve(isHeard: boolean): void;
}

export class RemoteRequests {
  readonly #options: RemoteRequestsOptions;
  #pending: PendingRequest | undefined;
  #count = 0;

  constructor(options: RemoteRequestsOptions) {
    this.#options = options;
  }

  /** Whether a response was requested and has not begun. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Requests a response. Resolves with true when it begins to be heard, with false if it is not. */
  request(response: object): Promise<boolean> {
    this.drop();
    const { lateMs, onLate, send } = this.#options;
    this.#count += 1;
    return new Promise((resolve) => {
      this.#pending = { timer: setTimeout(onLate, lateMs), resolve };
      send({ type: "response.create", event_id: `${PREFIX}${this.#count}`, response });
    });
  }

  /** A response has begun: the requested one, if there is a request. Returns what is to be told whether it is heard. */
  begun(): (isHeard: boolean) => void {
    const pending = this.#pending;
    clearTimeout(pending?.timer);
    this.#pending = undefined;
    return (isHeard) => pending?.resolve(isHeard);
  }

  /** The server has refused the command with this id. */
  refused(eventId: string): void {
    if (eventId.startsWith(PREFIX)) this.drop();
  }

  /** Gives the request up. */
  drop(): void {
    this.begun()(false);
  }
}
