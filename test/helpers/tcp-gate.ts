// A way to a server that can be shut: what a loss of the network looks like.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface TcpGate {
  port: number;
  /** Shut, it accepts no connection and cuts those that are open. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** A gate before the server at `targetPort` of this machine. */
export async function openTcpGate(targetPort: number, { isOpen = true } = {}): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let lets = isOpen;
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
    client.pipe(target).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    shut() {
      lets = false;
      for (const socket of sockets) socket.destroy();
    },
    open() {
      lets = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
