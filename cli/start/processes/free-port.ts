// Ports: whether one is free, and which one to take.
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections (32768 and more on Linux, 49152 on others): one of those
 *  is soon taken again, by whatever connects next. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const MAX_ATTEMPTS = 50;

/** True if nothing listens on the TCP port at this address. Throws on errors other than a taken port. */
export async function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return (await tryToListen(port, host)) !== null;
}

/** The first of `preferred` that is free, else any. Another program can still take it before the caller does: callers
 *  that can retry, should. */
export async function findFreePort(preferred: readonly number[] = [], host = "127.0.0.1"): Promise<number> {
  for (const port of preferred) if (await isPortFree(port, host)) return port;
  for (const port of somePorts()) if (await isPortFree(port, host)) return port;
  throw new Error(`no free TCP port on ${host}`);
}

/** As findFreePort, for UDP. */
export async function findFreeUdpPort(preferred: readonly number[] = [], host = "127.0.0.1"): Promise<number> {
  for (const port of [...preferred, ...somePorts()]) {
    const bound = await tryToBind(port, host);
    if (bound !== null) return bound;
  }
  throw new Error(`no free UDP port on ${host}`);
}

function* somePorts(): Generator<number> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) yield FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
}

function tryToListen(port: number, host: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

function tryToBind(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.once("error", () => resolve(null));
    socket.bind({ port, address: host, exclusive: true }, () => {
      const bound = socket.address().port;
      socket.close(() => resolve(bound));
    });
  });
}
