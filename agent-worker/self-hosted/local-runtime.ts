// The runtime API of this machine: session processes get their job here and report here, as they do to the service when
// its own workers serve them. It listens on loopback, and each session has a token of its own.
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../../program/log.ts";
import {
  type DispatchMetadata,
  heartbeatSchema,
  type JobDescription,
  sessionEventSchema,
} from "../../shared/runtime-api.ts";
import { hashOf } from "./faces/bundle-store.ts";
import type { LaunchedSession } from "./launched-session.ts";

const PATH = /^\/v1\/runtime\/sessions\/([\w-]{1,100})\/(job|model|events|beat)$/;
const MAX_REPORT_BYTES = 1024 * 1024;

export class LocalRuntime {
  readonly #logger: Logger;
  readonly #server: Server;
  /** By the session's id at the service. */
  readonly #sessions = new Map<string, LaunchedSession>();
  #baseUrl = "";

  constructor({ logger }: { logger: Logger }) {
    this.#logger = logger;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#logger.warn({ err: error }, "report of a session not taken");
        if (!response.headersSent) response.writeHead(400);
        response.end();
      });
    });
  }

  /** Listens on a free port. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    this.#baseUrl = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Serves a session until `remove`. Returns what a worker is offered. */
  add(session: LaunchedSession): DispatchMetadata {
    const id = idOf(session);
    this.#sessions.set(id, session);
    return { avatar_session_id: id, runtime_token: session.token, api_url: this.#baseUrl };
  }

  remove(session: LaunchedSession): void {
    this.#sessions.delete(idOf(session));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = "", what = ""] = PATH.exec(request.url ?? "") ?? [];
    const session = this.#sessions.get(id);
    if (!session) return send(response, 404, { error: "no such session" });
    if (!knows(session, request.headers.authorization)) return send(response, 401, { error: "wrong token" });
    const route = `${request.method} ${what}`;
    if (route === "GET job") return send(response, 200, this.#describe(session));
    if (route === "GET model") return void response.end(session.imx);
    if (route === "POST beat") {
      return send(response, 200, session.takeHeartbeat(heartbeatSchema.parse(await readJson(request))));
    }
    if (route === "POST events") {
      const isTaken = session.take(sessionEventSchema.parse(await readJson(request)));
      return send(response, isTaken ? 200 : 409, { ok: isTaken });
    }
    send(response, 404, { error: "no such endpoint" });
  }

  #describe(session: LaunchedSession): JobDescription {
    const imx_url = `${this.#baseUrl}/v1/runtime/sessions/${idOf(session)}/model`;
    return { ...session.job, imx_url, imx_sha256: hashOf(session.imx), portrait_url: null };
  }
}

function idOf({ task, jobId }: LaunchedSession): string {
  return task.sessionId ?? jobId;
}

function knows({ token }: LaunchedSession, authorization = ""): boolean {
  const [given, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of request) {
    sizeBytes += (piece as Buffer).length;
    if (sizeBytes > MAX_REPORT_BYTES) throw new RangeError("a report is too large");
    pieces.push(piece as Buffer);
  }
  return JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
