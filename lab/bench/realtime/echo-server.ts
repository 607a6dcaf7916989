// Process of the realtime benchmark: a realtime server that sends `session.created` and then every event back, with
// nothing in between. It ends with its parent.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** Sent once, when it accepts connections. */
export interface EchoServerReady {
  port: number;
}

const server = createServer();
const webSockets = new WebSocketServer({ server, perMessageDeflate: false });
webSockets.on("connection", (socket) => {
  socket.send('{"type":"session.created"}');
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  socket.on("error", () => socket.terminate());
});
server.listen(0, "127.0.0.1", () => {
  const ready: EchoServerReady = { port: (server.address() as AddressInfo).port };
  process.send?.(ready);
});
process.on("disconnect", () => process.exit());
