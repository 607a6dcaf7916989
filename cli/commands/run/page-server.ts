// The server of `avatar run`: answers one computer's browser, and nothing that another site makes it ask.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { CliError } from "../../terminal/cli-error.ts";

export interface PageAnswer {
  status?: number;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
}

export interface PageRequest {
  method: "GET" | "POST";
  /** With a slash at the front; not decoded. */
  path: string;
  headers: IncomingMessage["headers"];
  /** Of a POST. */
  body: string;
}

export interface PageServerOptions {
  host: string;
  port: number;
  /** Whether other computers may ask. */
  isPublic: boolean;
  /** Undefined for an address that has no answer. */
  answer(request: PageRequest): Promise<PageAnswer | undefined>;
}

export interface PageServer {
  host: string;
  port: number;
  url: string;
  /** Ends all connections. Idempotent. */
  close(): Promise<void>;
}

/** A request that is refused; `message` is for the page. */
export class PageError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = "PageError";
    this.status = status;
    this.code = code;
  }
}

const MAX_BODY_BYTES = 16_384;
/** Ports that are tried after the wanted one. */
const MAX_ATTEMPTS = 20;
/** A browser sends a request at once. */
const REQUEST_MS = 20_000;

/** On every answer. */
const COMMON_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
} as const;

/** Listens on the port, or on the next one that is free. Throws CliError(unavailable) if none is, and CliError(usage)
 *  for an address that this computer does not have. */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (incoming, response) => {
    void respond(incoming, response, options).catch(() => response.destroy());
  });
  const port = await listen(server, options);
  const name = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    host: options.host,
    port,
    url: `http://${name}:${port}/`,
    async close() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, { host, port }: PageServerOptions): Promise<number> {
  const wanted = port === 0 ? [0] : Array.from({ length: MAX_ATTEMPTS + 1 }, (_, more) => port + more);
  for (const each of wanted.filter((number) => number <= 65_535)) {
    const outcome = await new Promise<number | "taken">((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve("taken");
        else reject(new CliError("usage", `${host} cannot be listened on (${error.code}).`, { cause: error }));
      };
      server.once("error", fail);
      server.listen({ port: each, host, exclusive: true }, () => {
        server.off("error", fail);
        resolve((server.address() as AddressInfo).port);
      });
    });
    if (outcome !== "taken") return outcome;
  }
  throw new CliError("unavailable", `The ports from ${port} to ${port + MAX_ATTEMPTS} are taken.`, {
    code: "PORT_TAKEN",
    hint: "--port names another one.",
  });
}

async function respond(incoming: IncomingMessage, response: ServerResponse, options: PageServerOptions): Promise<void> {
  const { status = 200, headers, body } = await answerTo(incoming, options).catch(toErrorAnswer);
  response.writeHead(status, { ...COMMON_HEADERS, ...headers, "Content-Length": Buffer.byteLength(body) });
  response.end(incoming.method === "HEAD" ? undefined : body);
}

async function answerTo(incoming: IncomingMessage, options: PageServerOptions): Promise<PageAnswer> {
  const { headers, method = "" } = incoming;
  if (!isOwnName(headers.host, options)) {
    throw new PageError(
      403,
      "FORBIDDEN",
      "This page is not served under this name. Open the address that avatar run printed.",
    );
  }
  if (isFromOtherSite(headers)) throw new PageError(403, "FORBIDDEN", "Other sites may not use this page.");
  const path = /^\/[^?#]*/.exec(incoming.url ?? "")?.[0] ?? "";
  if (method !== "GET" && method !== "HEAD" && method !== "POST") throw notFound();
  const isPost = method === "POST";
  // Browsers add it to every POST, and no page can change it.
  if (isPost && headers.origin !== `http://${headers.host}`) {
    throw new PageError(403, "FORBIDDEN", "Only the page itself may ask for this.");
  }
  const body = isPost ? await readBody(incoming) : "";
  const answer = await options.answer({ method: isPost ? "POST" : "GET", path, headers, body });
  if (!answer) throw notFound();
  return answer;
}

/** Where another site makes its name lead to this computer (DNS rebinding), browsers still send that name. */
function isOwnName(header: string | undefined, { host, isPublic }: PageServerOptions): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i
    .exec(header ?? "")?.[1]
    .replace(/^\[|\]$/g, "")
    .toLowerCase();
  if (name === undefined) return false;
  if (["localhost", "127.0.0.1", "::1", host.toLowerCase()].includes(name)) return true;
  const own = hostname().toLowerCase();
  const isAddress = /^[0-9.]+$/.test(name) || name.includes(":");
  return isPublic && (isAddress || name === own || name === `${own}.local`);
}

/** Browsers say where a request comes from, and no page can change it. Not even a link of another site opens the page:
 *  it may begin a session that costs credits. */
function isFromOtherSite({ "sec-fetch-site": site = "none" }: IncomingMessage["headers"]): boolean {
  return site !== "none" && site !== "same-origin";
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new PageError(413, "FILE_TOO_LARGE", "The request is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function notFound(): PageError {
  return new PageError(404, "NOT_FOUND", "There is nothing at this address.");
}

function toErrorAnswer(error: unknown): PageAnswer {
  const known = error instanceof PageError ? error : new PageError(500, "INTERNAL_ERROR", "This did not work.");
  return {
    status: known.status,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ error: { code: known.code, message: known.message } }),
  };
}
