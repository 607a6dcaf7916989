// A real HTTP server with the OpenAI protocol's routes for chat, transcription and speech, as an account's own server,
// for the duration of a callback.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const SPEECH_RATE_HZ = 24_000;

export type ProviderRoute = "chat" | "transcription" | "speech" | "other";

export interface ProviderRequest {
  route: ProviderRoute;
  headers: IncomingHttpHeaders;
  /** JSON, or the text of a form. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests freely, and a wrong shape fails them anyway
  body: any;
}

/** Replies to a request; `replyWell` is the usual one. */
export type ProviderReply = (request: ProviderRequest, response: ServerResponse) => void;

export interface ProviderServer {
  /** `http://127.0.0.1:…/v1` */
  baseUrl: string;
  requests: ProviderRequest[];
  /** Sets how it replies. */
  use(reply: ProviderReply): void;
  /** How many requests of a route came. */
  count(route: ProviderRoute): number;
}

/** What a server answers that works: a sentence, a transcription, and a tone of .1 s for each character. */
export function replyWell({ answer = "It works.", transcript = "Hello there." } = {}): ProviderReply {
  return ({ route, body }, response) => {
    if (route === "chat") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const content of answer.match(/\S+\s*/g) ?? []) {
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      }
      response.end("data: [DONE]\n\n");
    } else if (route === "transcription") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: transcript }));
    } else if (route === "speech") {
      response.writeHead(200, { "content-type": "audio/pcm" }).end(toneBytes(String(body.input).length / 10));
    } else response.writeHead(404).end();
  };
}

/** Answers with a status, and a message that no one should show. */
export function replyWith(status: number, headers: Record<string, string> = {}): ProviderReply {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message: "the key sk-leaked is wrong" } }));
  };
}

/** 24 kHz, int16, mono. */
export function toneBytes(seconds: number): Buffer {
  const samples = Int16Array.from({ length: seconds * SPEECH_RATE_HZ }, (_, i) => 8_000 * Math.sin(i / 20));
  return Buffer.from(samples.buffer);
}

export async function withProviderServer<T>(work: (server: ProviderServer) => Promise<T>): Promise<T> {
  const requests: ProviderRequest[] = [];
  let reply = replyWell();
  const http = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString("latin1");
    const isJson = incoming.headers["content-type"]?.includes("json") ?? false;
    const body = isJson ? JSON.parse(Buffer.from(text, "latin1").toString("utf8")) : text;
    const request = { route: routeOf(incoming.url ?? ""), headers: incoming.headers, body };
    requests.push(request);
    reply(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  try {
    return await work({
      baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
      requests,
      use: (next) => {
        reply = next;
      },
      count: (route) => requests.filter((request) => request.route === route).length,
    });
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

function routeOf(url: string): ProviderRoute {
  if (url === "/v1/chat/completions") return "chat";
  if (url === "/v1/audio/transcriptions") return "transcription";
  return url === "/v1/audio/speech" ? "speech" : "other";
}
