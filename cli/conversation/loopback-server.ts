// A small HTTP server on loopback, for servers of scripts: model servers with known delays, receivers of webhooks.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoopbackRequest {
  path: string;
  /** Its body, read to the end. */
  text: string;
  /** When its body had arrived, ms of `performance.now`. */
  atMs: number;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:…`, without a slash at the end. */
  url: string;
  /** Breaks off what is being answered. Idempotent. */
  close(): Promise<void>;
}

/** Listens on a free port. An `answer` that throws breaks the connection off. */
export async function startLoopbackServer(
  answer: (request: LoopbackRequest, response: ServerResponse) => Promise<void> | void,
): Promise<LoopbackServer> {
  const http = createServer((incoming, response) => {
    readText(incoming)
      .then((text) => answer({ path: incoming.url ?? "", text, atMs: performance.now() }, response))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (!http.listening) return;
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
