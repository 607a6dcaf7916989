// A real HTTP server with the embeddings protocol. Its vectors recognise a few synonyms.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Words that mean the same share a dimension; all others are hashed into the rest. */
const MEANINGS = [
  ["refund", "money back", "reimburse"],
  ["opening hours", "closed", "when are you open"],
  ["parcel", "shipping"],
];
const DIMENSIONS = 32;

export interface EmbeddingsServer {
  /** `http://127.0.0.1:…/v1` */
  baseUrl: string;
  /** Bodies and bearer tokens received. */
  received: { model: string; input: string[]; authorization: string }[];
  /** Status of the next answers; 200 at first. */
  status: number;
}

export async function withEmbeddingsServer<T>(work: (server: EmbeddingsServer) => Promise<T>): Promise<T> {
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { model, input } = JSON.parse(text) as { model: string; input: string[] };
    server.received.push({ model, input, authorization: request.headers.authorization ?? "" });
    if (server.status !== 200 || request.url !== "/v1/embeddings") {
      response.writeHead(server.status === 200 ? 404 : server.status).end("{}");
      return;
    }
    // In another order, which the protocol allows.
    const data = input.map((words, index) => ({ object: "embedding", index, embedding: vectorOf(words) })).reverse();
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ object: "list", model, data }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const server: EmbeddingsServer = { baseUrl: `http://127.0.0.1:${port}/v1`, received: [], status: 200 };
  try {
    return await work(server);
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

function vectorOf(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  const lower = text.toLowerCase();
  for (const [index, words] of MEANINGS.entries()) if (words.some((word) => lower.includes(word))) vector[index] += 3;
  for (const word of lower.match(/\p{L}{4,}/gu) ?? []) {
    const hash = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 100_003, 7);
    vector[MEANINGS.length + (hash % (DIMENSIONS - MEANINGS.length))] += 0.2;
  }
  return vector;
}
