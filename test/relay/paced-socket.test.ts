// A WebSocket of the relay in front of peers that stay silent, read nothing, or send in small pieces.
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import t from "tap";
import { WebSocketServer } from "ws";
import { PacedSocket } from "../../relay/paced-socket.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PING_MS = 100;
const MIB = 1024 * 1024;
/** Header of an unfinished text message with a payload of a MiB, masked with zeros. */
const UNFINISHED = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]);

interface Stage {
  paced: PacedSocket;
  /** The peer's plain connection, behind its handshake. It is read only if the test does. */
  peer: Socket;
  ends: number[];
  /** Calls of `onDrain`. */
  drains(): number;
}

async function withPeer(work: (stage: Stage) => Promise<void>): Promise<void> {
  const server = createServer();
  const webSockets = new WebSocketServer({ noServer: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ends: number[] = [];
  let drained = 0;
  const accepted = new Promise<PacedSocket>((resolve) => {
    server.on("upgrade", (request, connection, head) => {
      webSockets.handleUpgrade(request, connection, head, (socket) => {
        const paced = new PacedSocket(socket, {
          connection: connection as Socket,
          pingMs: PING_MS,
          onEvent: () => undefined,
          onClose: (code) => ends.push(code),
          onDrain: () => {
            drained += 1;
          },
        });
        paced.start();
        resolve(paced);
      });
    });
  });
  const peer = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
  peer.on("error", () => undefined);
  peer.write(`GET / HTTP/1.1\r\nHost: x\r\n${upgrade}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  await once(peer, "data");
  peer.pause();
  try {
    await work({ paced: await accepted, peer, ends, drains: () => drained });
  } finally {
    peer.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

t.test("a peer that answers no ping is ended after three intervals", async (t) => {
  await withPeer(async ({ peer, ends }) => {
    const startedMs = performance.now();
    peer.resume();
    await waitFor(() => ends.length === 1, "the end");
    t.same(ends, [1006]);
    t.ok(performance.now() - startedMs < 3_000);
  });
});

t.test("a peer that takes nothing is ended, also while the relay reads nothing of it", async (t) => {
  await withPeer(async ({ paced, ends }) => {
    paced.pause();
    const event = Buffer.alloc(64 * 1024);
    // The system's buffers take the first megabytes.
    let isFull = false;
    await waitFor(() => {
      if (ends.length === 0) while (!isFull && paced.send(event, true));
      isFull = paced.heldBytes > MIB;
      return ends.length === 1;
    }, "the end");
    t.same(ends, [1006]);
  });
});

t.test("a peer that reads again goes on", async (t) => {
  await withPeer(async ({ paced, peer, ends, drains }) => {
    paced.pause();
    const event = Buffer.alloc(64 * 1024);
    for (let round = 0; round < 5; round++) {
      while (paced.send(event, true));
      await new Promise((resolve) => setTimeout(resolve, PING_MS));
      peer.resume();
      await waitFor(() => drains() === round + 1, "it is read");
      peer.pause();
    }
    t.same(ends, []);
    t.ok(paced.heldBytes < 300_000, `${paced.heldBytes} bytes wait`);
  });
});

t.test("small events are bounded by the memory that they take", async (t) => {
  await withPeer(async ({ paced }) => {
    let count = 0;
    let heldBytes = 0;
    for (; paced.send("x", false) && count < 100_000; count++) heldBytes = paced.heldBytes;
    t.ok(count < MIB / 200, `${count} events in one turn`);
    t.ok(heldBytes > 1_000_000 && heldBytes <= 1.1 * MIB, `${heldBytes} bytes wait`);
  });
});

t.test("an event that has arrived in part counts as memory, until it is complete", async (t) => {
  await withPeer(async ({ paced, peer }) => {
    const part = Buffer.alloc(MIB / 2);
    peer.write(UNFINISHED);
    peer.write(part);
    await waitFor(() => paced.heldBytes > MIB / 2, "half of it");
    peer.write(part);
    await waitFor(() => paced.heldBytes < 1_000, "all of it");
    t.pass();
  });
});

t.test("a peer that answers no close is ended after five seconds", async (t) => {
  await withPeer(async ({ paced, peer, ends }) => {
    peer.resume();
    paced.close(1013, "bye");
    await waitFor(() => ends.length === 1, "the end", 8_000);
    t.same(ends, [1006]);
  });
});
