// Behind the front of `npm start`: passes the few plain requests for the relay on. Connections of WebSockets are handed
// over whole instead.
import { Agent, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { toErrorAnswer } from "../program/http/error-answer.ts";
import { ServiceError } from "../shared/errors.ts";
import { HEADER_CLIENT_ADDRESS } from "../shared/wire-names.ts";

/** Paths that the relay answers. The retired path is the api's own. */
const RELAY_PATHS = /^\/v1\/realtime(?:\/(?!ephemeral-token\/*$).*)?$/;
/** The relay connects an upstream before it answers. */
const ANSWER_MS = 30_000;

/** Pages of other sites call the relay. */
const CORS_HEADERS = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After" };

/** Whether the relay answers a request for this target. */
export function isForRelay(url = "/"): boolean {
  return RELAY_PATHS.test(url.split("?", 1)[0]);
}

/** Passes requests to the relay on this loopback port, with the client's address. */
export function createRelayForward(port: number): (from: IncomingMessage, to: ServerResponse) => void {
  const agent = new Agent({ keepAlive: true });
  return (from, to) => {
    const { method, url: path } = from;
    const headers = { ...from.headers, [HEADER_CLIENT_ADDRESS]: from.socket.remoteAddress ?? "" };
    const passed = request({ host: "127.0.0.1", port, method, path, headers, agent, timeout: ANSWER_MS }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    passed.once("timeout", () => passed.destroy(new Error("the relay does not answer")));
    passed.once("error", () => {
      if (to.headersSent) {
        to.destroy();
        return;
      }
      const { status, headers: more, text } = unavailable();
      to.writeHead(status, { ...more, ...CORS_HEADERS }).end(text);
    });
    to.once("close", () => {
      if (!to.writableFinished) passed.destroy();
    });
    from.pipe(passed);
  };
}

/** Answers the upgrade request of a call while there is no front to hand its connection to. */
export function refuseCall(socket: Duplex): void {
  const { status, headers, text } = unavailable();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
}

function unavailable(): { status: number; headers: Record<string, string>; text: string } {
  const error = new ServiceError("SERVICE_UNAVAILABLE", "The realtime relay is starting. Try again.");
  const { status, headers, body } = toErrorAnswer(error);
  const text = JSON.stringify(body);
  const more = { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) };
  return { status, headers: { ...headers, ...more, Connection: "close" }, text };
}
