// A real HTTP server with the OpenAI protocol's `/v1/chat/completions`, for the duration of a callback. Each test says
// how it replies, byte for byte.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface ChatRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests freely, and a wrong shape fails them anyway
  body: any;
}

export interface ChatReply {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  /** Parts are sent one by one. */
  body?: string | Uint8Array | readonly Uint8Array[] | object;
  /** What comes behind the body. `hang`: nothing, and the connection stays open; without a body, no head either.
   *  Default `end`. */
  ending?: "end" | "hang" | "break";
}

export interface ChatServer {
  /** `http://127.0.0.1:…/v1` */
  baseUrl: string;
  port: number;
  requests: ChatRequest[];
  /** Answers with a connection that the client dropped before their end. */
  dropped: number;
}

/** Gives `work` a server that replies to each request as `reply` says. */
export async function withChatServer<T>(
  reply: (request: ChatRequest, count: number) => ChatReply,
  work: (server: ChatServer) => Promise<T>,
): Promise<T> {
  const http = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString("utf8");
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers, body: text === "" ? null : JSON.parse(text) };
    server.requests.push(request);
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) server.dropped += 1;
    });
    await send(outgoing, reply(request, server.requests.length));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const server: ChatServer = { baseUrl: `http://127.0.0.1:${port}/v1`, port, requests: [], dropped: 0 };
  try {
    return await work(server);
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

async function send(
  outgoing: ServerResponse,
  { status = 200, headers, body, ending = "end" }: ChatReply,
): Promise<void> {
  if (body === undefined && ending === "hang") return;
  const isJson = typeof body === "object" && !Array.isArray(body) && !(body instanceof Uint8Array);
  outgoing.writeHead(status, { "content-type": isJson ? "application/json" : "text/event-stream", ...headers });
  outgoing.flushHeaders();
  for (const part of partsOf(isJson ? JSON.stringify(body) : body)) {
    outgoing.write(part);
    await nextTurn();
  }
  if (ending === "end") outgoing.end();
  if (ending === "break") outgoing.socket?.destroy();
}

function partsOf(body: unknown): readonly (string | Uint8Array)[] {
  if (body === undefined || body === "") return [];
  return Array.isArray(body) ? body : [body as string | Uint8Array];
}
