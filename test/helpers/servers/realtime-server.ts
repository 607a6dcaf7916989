// Another company's realtime server, for tests: speaks over WebSockets as a test tells it to.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export interface RealtimeServer {
  /** `http://127.0.0.1:…/v1` */
  baseUrl: string;
  /** Requests that arrived, oldest first. */
  requests: IncomingMessage[];
  /** Open and closed sockets, oldest first. */
  sockets: WebSocket[];
}

export interface RealtimeServerOptions {
  /** Called with each new socket. Default: sends `session.created`, then echoes. */
  onSocket?(socket: WebSocket, request: IncomingMessage): void;
  /** Answers the upgrade by itself; return true if it did. */
  onUpgrade?(request: IncomingMessage, socket: Duplex): boolean;
}

/** A server on a free port for the length of a callback. */
export async function withRealtimeServer<T>(
  options: RealtimeServerOptions,
  work: (server: RealtimeServer) => Promise<T>,
): Promise<T> {
  const requests: IncomingMessage[] = [];
  const sockets: WebSocket[] = [];
  const server = createServer();
  const connections = new Set<Duplex>();
  server.on("connection", (connection) => connections.add(connection));
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: true });
  webSockets.on("headers", (lines) => lines.push("X-Request-Id: req_cloud"));
  server.on("upgrade", (request, socket, head) => {
    requests.push(request);
    if (options.onUpgrade?.(request, socket)) return;
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.push(webSocket);
      webSocket.on("error", () => undefined);
      (options.onSocket ?? echo)(webSocket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await work({ baseUrl: `http://127.0.0.1:${port}/v1`, requests, sockets });
  } finally {
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

function echo(socket: WebSocket): void {
  socket.send('{"type":"session.created"}');
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
}
