// A caller of our own realtime model, for floods of events.
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { FloodContext } from "../flood.ts";

/** No more than this waits in the flood's own process, bytes: the rest waits for the service to read. */
const MOST_UNSENT_BYTES = 32 * 1024 * 1024;
const REFUSED_WAIT_MS = 1_000;
const OPEN_TIMEOUT_MS = 20_000;

/** Opens calls one after the other and lets `exchange` send events on each, until the flood is over. `exchange` returns
 *  when the call has closed. */
export async function callUntilOver(
  context: FloodContext,
  exchange: (call: RealtimeCall, context: FloodContext) => Promise<void>,
): Promise<void> {
  while (!context.over.aborted) {
    const call = await RealtimeCall.open(context);
    if (!call) {
      await delay(REFUSED_WAIT_MS, undefined, { signal: context.over }).catch(() => undefined);
      continue;
    }
    try {
      await exchange(call, context);
    } finally {
      call.close();
    }
  }
}

class RealtimeCall {
  readonly #socket: WebSocket;
  readonly #context: FloodContext;

  private constructor(socket: WebSocket, context: FloodContext) {
    this.#socket = socket;
    this.#context = context;
    socket.on("message", (data) => {
      const { type, error } = JSON.parse(data.toString()) as { type: string; error?: { code: string } };
      if (type === "error") context.answered(`event ${error?.code}`);
    });
    socket.on("close", (code) => {
      if (!context.over.aborted) context.answered(`close ${code}`);
    });
  }

  /** Null if the call was refused, which is noted. */
  static async open(context: FloodContext): Promise<RealtimeCall | null> {
    const { target, answered } = context;
    const url = `${target.baseUrl.replace(/^http/, "ws")}/v1/realtime?model=service-realtime`;
    const socket = new WebSocket(url, { headers: { "api-secret": target.apiSecret }, perMessageDeflate: false });
    const isOpen = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        answered("no answer to a call");
        resolve(false);
      }, OPEN_TIMEOUT_MS);
      socket.once("open", () => resolve(true));
      socket.once("unexpected-response", (_request, response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.once("end", () => {
          const text = Buffer.concat(parts).toString();
          const body = text.startsWith("{") ? (JSON.parse(text) as { error?: { code: string } }) : {};
          answered(`${response.statusCode} ${body.error?.code ?? ""}`.trim());
          resolve(false);
        });
      });
      socket.once("error", () => resolve(false));
      socket.once("close", () => resolve(false));
      socket.once("open", () => clearTimeout(timer));
    });
    socket.on("error", () => undefined);
    if (isOpen) return new RealtimeCall(socket, context);
    socket.terminate();
    return null;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN && !this.#context.over.aborted;
  }

  /** Sends an event as it is, once the service has read enough of the earlier ones. */
  async send(name: string, text: string): Promise<void> {
    while (this.isOpen && this.#socket.bufferedAmount > MOST_UNSENT_BYTES) await delay(5);
    if (!this.isOpen) return;
    this.#socket.send(text);
    this.#context.sent(name, text.length);
  }

  close(): void {
    this.#socket.terminate();
  }
}
