// One connection to a browser that is steered by WebDriver BiDi: commands, their answers, and events.
import { EventEmitter, once } from "node:events";
import { WebSocket } from "ws";

interface Answer {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  type?: "success" | "error" | "event";
  id?: number;
  result?: unknown;
  error?: string;
  message?: string;
  method?: string;
  params?: unknown;
}

export class BidiConnection {
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
  static async open(address: string): Promise<BidiConnection> {
    const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 2 ** 28 });
    await once(socket, "open");
    return new BidiConnection(socket);
  }

  /** Throws Error with the browser's words if it refuses. */
  send<T = unknown>(method: string, params: object): Promise<T> {
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#answers.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#socket.close();
  }

  #take({ type, id, result, error, message, method, params }: Message): void {
    if (type === "event" && method) this.events.emit(method, params);
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (id === undefined || !answer) return;
    this.#answers.delete(id);
    if (type === "error") answer.reject(new Error(`${error}: ${message}`));
    else answer.resolve(result);
  }
}
