// TCP connections that one process accepts and another one serves: they arrive over the channel to the parent process,
// and an upgrade request can be handed back, for a third process to serve. Bytes pass no process twice.
import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** With a socket: a connection to serve. `bytes`, in base64, have been read from it already. */
export interface HandedConnection {
  kind: "connection";
  bytes: string;
}

/** From a process that serves connections: it can take them now. */
const SERVING = { kind: "serving" } as const;

export function isServing(message: unknown): boolean {
  return (message as Partial<typeof SERVING> | null)?.kind === SERVING.kind;
}

/** Whether a message over the channel hands a connection over. */
export function isHandedConnection(message: unknown): message is HandedConnection {
  const { kind, bytes } = (message ?? {}) as Partial<HandedConnection>;
  return kind === "connection" && typeof bytes === "string";
}

/** The channel of this process to its parent; `process` is one. */
export interface ParentChannel {
  on(event: "message", listener: (message: unknown, handle: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
  disconnect?(): void;
  send?(message: object, handle?: Socket, callback?: (error: Error | null) => void): boolean;
}

export interface HandedConnections {
  /** Tells the parent that connections can be taken. */
  announce(): void;
  /** Whether the parent handed this connection over; others came to the server's own address. */
  has(socket: Socket): boolean;
  /** Takes no more, and ends the channel. Resolves once the connections that were taken have ended. */
  close(): Promise<void>;
}

/** Serves connections that the parent hands over. The server must listen somewhere too: only then does it keep its
 *  limits of time. `onOrphaned` is called if the parent dies. */
export function serveHandedConnections(
  server: Server,
  channel: ParentChannel,
  onOrphaned: () => void = () => undefined,
): HandedConnections {
  const open = new Set<Socket>();
  let isClosing = false;
  let onEmpty: () => void = () => undefined;
  channel.once("disconnect", () => {
    if (!isClosing) onOrphaned();
  });
  channel.on("message", (message, socket) => {
    if (!isHandedConnection(message) || !(socket instanceof Socket)) return;
    if (isClosing) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      if (open.size === 0) onEmpty();
    });
    takeBytes(server, socket, Buffer.from(message.bytes, "base64"));
  });
  return {
    announce: () => void channel.send?.(SERVING),
    has: (socket) => open.has(socket),
    async close() {
      isClosing = true;
      // An open channel would keep the process running.
      channel.disconnect?.();
      if (open.size > 0) {
        await new Promise<void>((resolve) => {
          onEmpty = resolve;
        });
      }
    },
  };
}

/** Hands the connection of an upgrade request to the parent, as it was before the request was read. */
export function handBack(channel: ParentChannel, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (!(socket instanceof Socket) || !channel.send) {
    socket.destroy();
    return;
  }
  const bytes = Buffer.concat([headOf(request, []), head]).toString("base64");
  channel.send({ kind: "connection", bytes } satisfies HandedConnection, socket, (error) => {
    if (error) socket.destroy();
  });
}

/** Headers of an upgrade. */
const UPGRADE_HEADERS = ["connection", "upgrade", "http2-settings"];

/** Serves an upgrade request as a plain one, which a server does by itself only if it knows no upgrades at all. */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  takeBytes(server, socket, Buffer.concat([headOf(request, UPGRADE_HEADERS), head]));
}

/** Gives a server a connection, and the bytes that were read from it. */
export function takeBytes(server: Server, socket: Duplex, bytes: Buffer): void {
  if (socket instanceof Socket) socket.setNoDelay(true);
  server.emit("connection", socket);
  if (bytes.length === 0) return;
  socket.unshift(bytes);
  socket.resume();
}

/** Request line and headers, as they arrived. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage, without: readonly string[]): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = rawHeaders.slice(index, index + 2);
    if (!without.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
