// A server that reports a given LiveKit version, because tests have no old servers and no LiveKit Cloud.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { RegisterWorkerResponse, ServerInfo, ServerInfo_Edition, ServerMessage } from "@livekit/protocol";
import type { LiveKitAccess } from "./use-livekit.ts";

/** Appended to the key of a WebSocket handshake. Source: RFC 6455, 1.3. */
const WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export interface VersionServer extends LiveKitAccess {
  /** Workers that have registered so far. */
  registrations(): number;
}

/** Gives `work` a server that accepts every key, lists no rooms, and answers a registering worker with `version`. */
export async function withLiveKitVersion<T>(
  version: string,
  work: (server: VersionServer) => Promise<T>,
  edition = ServerInfo_Edition.Standard,
): Promise<T> {
  const info = new RegisterWorkerResponse({ serverInfo: new ServerInfo({ version, edition }) });
  const payload = new ServerMessage({ message: { case: "register", value: info } }).toBinary();
  let registrations = 0;
  const sockets = new Set<Duplex>();
  const server = createServer((_, answer) => answer.setHeader("content-type", "application/json").end("{}"));
  server.on("upgrade", (request, socket) => {
    sockets.add(socket.on("error", () => undefined));
    const key = `${request.headers["sec-websocket-key"]}${WEBSOCKET_GUID}`;
    const accept = createHash("sha1").update(key).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`);
    socket.once("data", () => {
      registrations++;
      // One unmasked binary frame: 0x82 and its length, which is below 126.
      socket.write(Buffer.from([0x82, payload.length, ...payload]));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await work({
      url,
      apiKey: "key",
      apiSecret: "x".repeat(40),
      dispatchName: "none",
      registrations: () => registrations,
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
}
