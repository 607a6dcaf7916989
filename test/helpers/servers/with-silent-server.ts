// A server that accepts connections and says nothing, for the length of a callback: the peer that every wait must end
// for.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Source: RFC 6455. */
const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export interface SilentServer {
  /** `127.0.0.1:…` */
  host: string;
  port: number;
  /** Connections so far. */
  accepted: number;
}

export interface SilentServerOptions {
  /** Answers the handshake of a WebSocket, and nothing after it. Default false. */
  upgrades?: boolean;
}

export async function withSilentServer<T>(
  work: (server: SilentServer) => Promise<T>,
  { upgrades = false }: SilentServerOptions = {},
): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    silent.accepted++;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("data", (head) => {
      const key = /^sec-websocket-key: *(\S+)/im.exec(String(head))?.[1];
      if (!upgrades || key === undefined) return;
      const accept = createHash("sha1")
        .update(key + HANDSHAKE_GUID)
        .digest("base64");
      const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
      socket.write(`${[...lines, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`);
    });
    socket.resume();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const silent: SilentServer = { host: `127.0.0.1:${port}`, port, accepted: 0 };
  try {
    return await work(silent);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
