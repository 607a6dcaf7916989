// A `fetch` that never leaves this process: the api answers itself, through all that answers requests from outside.
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Writable } from "node:stream";

/** Most bytes of one answer. */
const ANSWER_LIMIT_BYTES = 64 * 1024 * 1024;
/** Statuses of answers without a body, as `Response` wants them. */
const BODILESS: readonly number[] = [101, 204, 205, 304];

export interface InnerFetchOptions {
  answer: RequestListener;
  /** Base of the service's own URLs, without a trailing slash; others are refused. */
  publicUrl: string;
  /** Address of the client for which the request is made. */
  ip: string;
  /** Whether the api takes the client's address from `X-Forwarded-For`. */
  trustProxy: boolean;
}

/** The function. It rejects with TypeError for other services' URLs, and with the reason of the request's signal. */
export function createInnerFetch({ answer, publicUrl, ip, trustProxy }: InnerFetchOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(`${publicUrl}/`)) throw new TypeError("the address is not this service's");
    const body = Buffer.from(await request.arrayBuffer());
    request.signal.throwIfAborted();
    const headers: Record<string, string> = {
      ...Object.fromEntries(request.headers),
      host: new URL(publicUrl).host,
      ...(body.byteLength > 0 && { "content-length": String(body.byteLength) }),
      ...(trustProxy && { "x-forwarded-for": ip }),
    };
    const message = messageOf(request.method, request.url.slice(publicUrl.length), headers, { body, ip });
    return answerOf(message, answer, request.signal);
  };
}

interface Sent {
  body: Buffer;
  ip: string;
}

function messageOf(method: string, url: string, headers: Record<string, string>, { body, ip }: Sent): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: ip });
  const message = new IncomingMessage(socket);
  message.method = method;
  message.url = url;
  message.headers = headers;
  message.httpVersion = "1.1";
  message.httpVersionMajor = 1;
  message.httpVersionMinor = 1;
  message.complete = true;
  if (body.byteLength > 0) message.push(body);
  message.push(null);
  return message;
}

function answerOf(message: IncomingMessage, answer: RequestListener, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const response = new CollectedResponse(message);
    // The client has gone away: handlers that watch for that stop.
    const leave = () => {
      response.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    response.on("close", () => {
      signal.removeEventListener("abort", leave);
      message.destroy();
      if (!response.writableFinished) return reject(new TypeError("the answer was cut short"));
      const headers = new Headers();
      for (const [name, value] of Object.entries(response.getHeaders())) {
        for (const each of Array.isArray(value) ? value : [value]) headers.append(name, String(each));
      }
      const { statusCode: status } = response;
      resolve(new Response(BODILESS.includes(status) ? null : response.body, { status, headers }));
    });
    answer(message, response);
  });
}

/** An answer that is kept instead of sent. */
class CollectedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(message: IncomingMessage) {
    super(message);
    // What the base class sends, with its head, goes nowhere; it tells when all is sent.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.assignSocket(nowhere as unknown as Socket);
    nowhere.on("drain", () => this.emit("drain"));
    this.once("finish", () => this.destroy());
  }

  get body(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.#chunks);
  }

  override write(...given: [chunk: unknown, ...rest: unknown[]]): boolean {
    this.#keep(given[0], given[1]);
    return super.write(...(given as Parameters<ServerResponse["write"]>));
  }

  override end(...given: unknown[]): this {
    const [chunk, encoding] = given;
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") this.#keep(chunk, encoding);
    return super.end(...(given as Parameters<ServerResponse["end"]>));
  }

  #keep(chunk: unknown, encoding: unknown): void {
    const bytes =
      typeof chunk === "string"
        ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
        : Buffer.from(chunk as Uint8Array);
    this.#sizeBytes += bytes.byteLength;
    if (this.#sizeBytes > ANSWER_LIMIT_BYTES) this.destroy();
    else this.#chunks.push(bytes);
  }
}
