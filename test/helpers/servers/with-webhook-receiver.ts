// A real HTTP server that receives webhook deliveries for the duration of a callback, keeps their raw bytes, and
// answers as configured.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "../wait-for.ts";

export interface Received {
  headers: IncomingHttpHeaders;
  raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely, and a wrong shape fails them anyway
  body: any;
  path: string;
  /** On `performance.now()`'s clock. */
  atMs: number;
}

/** Answers one delivery: returns a status, or writes the response itself. Without either, the endpoint hangs. */
export type Reply = number | ((response: ServerResponse) => void);

export interface WebhookReceiver {
  /** `http://127.0.0.1:…/hook` */
  url: string;
  received: Received[];
  /** Decides the answer to each delivery; 200 at first. */
  reply: (delivery: Received) => Reply;
  /** Resolves when `count` deliveries were received. */
  untilReceived(count: number, timeoutMs?: number): Promise<Received[]>;
}

export async function withWebhookReceiver<T>(work: (receiver: WebhookReceiver) => Promise<T>): Promise<T> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const { headers, url: path = "" } = request;
    const delivery = { headers, raw, body: JSON.parse(raw.toString()), path, atMs: performance.now() };
    received.push(delivery);
    const reply = receiver.reply(delivery);
    if (typeof reply === "number") response.writeHead(reply).end("noted");
    else reply(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    reply: () => 200,
    async untilReceived(count, timeoutMs = 30_000) {
      await waitFor(() => received.length >= count, `${count} deliveries`, timeoutMs);
      return received;
    },
  };
  try {
    return await work(receiver);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
