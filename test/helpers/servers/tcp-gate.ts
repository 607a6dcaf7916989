// A way to a server that can be shut: what a loss of the network looks like.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface TcpGate {
  port: number;
  /** Shut, it accepts no connection and cuts those that are open. */
  shut(): void;
  /** Keeps its connections and accepts more, but passes nothing on: a peer that has fallen silent. */
  freeze(): void;
  /** Passes on what comes next. Connections that were frozen stay so. */
  open(): void;
  close(): Promise<void>;
}

/** A gate before the server at `targetPort` of this machine. */
export async function openTcpGate(targetPort: number, { isOpen = true } = {}): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let lets = isOpen;
  let isFrozen = false;
  const server = createServer((client) => {
    if (!lets) return client.resetAndDestroy();
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(socket);
          client.destroy();
          target.destroy();
        });
    }
    if (isFrozen) return;
    client.pipe(target).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    shut() {
      lets = false;
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe();
    },
    open() {
      lets = true;
      isFrozen = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
