// HTTP requests to one server that an account has named. Each connection goes to an address that the guard has just
// allowed, and redirects are not followed. Node's own client: another would take 10 MB in each session's process.
import { Agent, type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import type { AddressGuard } from "../../program/outgoing/address-guard.ts";
import { portOf } from "../../program/outgoing/address-rules.ts";
import { guardedLookup } from "../../program/outgoing/guarded-lookup.ts";
import { EngineError } from "../../shared/engine-error.ts";

const PROTOCOLS = ["https:", "http:"];

export interface Post {
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** Ends the request, also while its answer is read. */
  signal: AbortSignal;
}

export class GuardedServer {
  readonly #guard: AddressGuard;
  readonly #url: string;
  readonly #agent: Agent;

  /** Connects with the first request. `url`: all requests go there. */
  constructor(guard: AddressGuard, url: string) {
    this.#guard = guard;
    this.#url = url;
    const target = new URL(url);
    const options = { keepAlive: true, lookup: guardedLookup(guard, portOf(target)) };
    this.#agent = target.protocol === "https:" ? new SecureAgent(options) : new Agent(options);
  }

  /** Resolves with the head of the answer, whatever its status. Rejects with the guard's error, the signal's reason,
   *  EngineError invalid-input if a header has characters that headers cannot hold, and errors of the connection. So
   *  does the answer's body. */
  async post(post: Post): Promise<IncomingMessage> {
    // Names are looked up by the connection, under the guard; addresses are not, so they are checked here.
    const target = this.#guard.parseUrl(this.#url, PROTOCOLS);
    try {
      return await this.#send(target, post);
    } catch (error) {
      // The server has closed a connection that was kept just when it was used again.
      if (error !== STALE) throw error;
      return this.#send(target, post);
    }
  }

  /** Drops idle connections, and those in use. Idempotent. */
  close(): void {
    this.#agent.destroy();
  }

  #send(target: URL, { headers, body, signal }: Post): Promise<IncomingMessage> {
    const send = target.protocol === "https:" ? requestHttps : requestHttp;
    const options: RequestOptions = { method: "POST", agent: this.#agent, headers: writable(headers), signal };
    return new Promise((resolve, reject) => {
      const request = send(target, options);
      request.once("response", (answer) => {
        // An answer that is not read to its end is aborted. Its reader has the error, if there is one.
        answer.on("error", () => undefined);
        resolve(answer);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && error.code === "ECONNRESET" && !signal.aborted;
        reject(isStale ? STALE : error);
      });
      request.end(body);
    });
  }
}

const STALE = new Error("the connection was closed while it was idle");

/** The platform's own error would quote the key. */
function writable(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    throw new EngineError("invalid-input", "The server's key, or a header, has characters that are not allowed.");
  }
}
