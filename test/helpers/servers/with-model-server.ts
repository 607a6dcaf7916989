// A server with the part of the OpenAI protocol that personas and portraits need, for the duration of a callback.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModelRequest {
  path: string;
  authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests freely, and a wrong shape fails them anyway
  body: any;
}

export interface ModelServer {
  /** `http://127.0.0.1:…/v1` */
  baseUrl: string;
  requests: ModelRequest[];
}

/** The server's answer: a status with JSON, bytes, or no answer. */
export type ModelReply = { status?: number; json: unknown } | { bytes: Uint8Array } | "silence";

/** Gives `work` a server that answers each request as `reply` says. */
export async function withModelServer<T>(
  reply: (request: ModelRequest, server: ModelServer) => ModelReply,
  work: (server: ModelServer) => Promise<T>,
): Promise<T> {
  const requests: ModelRequest[] = [];
  const http = createServer(async (incoming, outgoing) => {
    const text = await textOf(incoming);
    const request: ModelRequest = {
      path: incoming.url ?? "",
      authorization: incoming.headers.authorization,
      body: text === "" ? null : JSON.parse(text),
    };
    requests.push(request);
    const answer = reply(request, model);
    if (answer === "silence") return;
    if ("bytes" in answer) outgoing.writeHead(200).end(answer.bytes);
    else
      outgoing
        .writeHead(answer.status ?? 200, { "content-type": "application/json" })
        .end(typeof answer.json === "string" ? answer.json : JSON.stringify(answer.json));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const model: ModelServer = { baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, requests };
  try {
    return await work(model);
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
