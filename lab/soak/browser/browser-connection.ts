// One connection to a browser that is steered by WebDriver BiDi (Firefox) or the DevTools protocol (Chromium), which
// have the same frame: commands, their answers, and events.
import { EventEmitter, once } from "node:events";
import { WebSocket } from "ws";

interface Answer {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  result?: unknown;
  /** In BiDi a code with `message` beside it. */
  error?: string | { message: string };
  message?: string;
  method?: string;
  params?: unknown;
  /** DevTools: the tab that an event is of. */
  sessionId?: string;
}

export class BrowserConnection {
  /** By method: the parameters, and in the DevTools protocol the session. */
  readonly events = new EventEmitter();
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, Answer>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#take(JSON.parse(String(data)) as Message));
    socket.on("close", () => {
      for (const { reject } of this.#answers.values()) reject(new Error("the browser closed"));
      this.#answers.clear();
    });
  }

  /** Throws Error if nothing answers there. */
  static async open(address: string): Promise<BrowserConnection> {
    const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 2 ** 28 });
    await once(socket, "open");
    return new BrowserConnection(socket);
  }

  /** `sessionId`: in the DevTools protocol the tab that a command is for. Throws Error with the browser's words if it
   *  refuses. */
  send<T = unknown>(method: string, params: object, sessionId?: string): Promise<T> {
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#answers.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  close(): void {
    this.#socket.close();
  }

  #take({ id, result, error, message, method, params, sessionId }: Message): void {
    if (id === undefined) {
      if (method) this.events.emit(method, params, sessionId);
      return;
    }
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(typeof error === "string" ? `${error}: ${message}` : error.message));
  }
}
