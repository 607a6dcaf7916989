// An image server that is down at first and serves nothing of use afterwards: an agent made from this image
// is accepted and paid for, and fails later, in its job.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const DOWN_MS = 1_500;

export interface ImageServer {
  /** A URL that was never requested. */
  nextUrl(): string;
  close(): Promise<void>;
}

export async function startImageServer(): Promise<ImageServer> {
  const firstAsked = new Map<string, number>();
  let count = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const first = firstAsked.get(path) ?? Date.now();
    firstAsked.set(path, first);
    response.statusCode = Date.now() - first < DOWN_MS ? 503 : 200;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    nextUrl: () => `http://127.0.0.1:${port}/${count++}.png`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
