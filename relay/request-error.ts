// Answers of a relay before a call: refusals in the service's envelope, over a plain connection or an answer of HTTP.
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorAnswer, toErrorAnswer } from "../program/http/error-answer.ts";
import { HttpRefusal } from "../program/http/json-client.ts";
import { isServiceError, ServiceError } from "../shared/errors.ts";

/** Headers of the api's refusal that its caller gets. */
const PASSED_HEADERS = ["retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/** A refusal with a status of HTTP that no code of the contract has. */
export class RefusedByProtocol extends Error {
  readonly answer: ErrorAnswer;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    const answer = toErrorAnswer(new ServiceError("VALIDATION_ERROR", message), status);
    this.answer = { ...answer, headers: { ...answer.headers, ...headers } };
  }
}

/** An answer as it is sent. */
export interface TextAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Of the envelope; null if the api wrote it. */
  code: string | null;
}

/** The answer for an error; the caller gets the api's refusal unchanged. Unknown errors become INTERNAL_ERROR. */
export function answerOf(error: unknown, requestId: string): TextAnswer {
  const common = {
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Type": "application/json; charset=utf-8",
  };
  if (error instanceof HttpRefusal) {
    const passed = [...error.headers].filter(([name]) => PASSED_HEADERS.includes(name));
    const headers = { ...common, ...Object.fromEntries(passed) };
    return { status: error.status, headers, text: error.text, code: null };
  }
  const known = isServiceError(error)
    ? error
    : new ServiceError("INTERNAL_ERROR", `Internal error. Please report it with the request id ${requestId}.`);
  const { status, headers, body } = error instanceof RefusedByProtocol ? error.answer : toErrorAnswer(known);
  return { status, headers: { ...common, ...headers }, text: JSON.stringify(body), code: body.error.code };
}

/** Answers an upgrade request that becomes no WebSocket, and ends its connection. */
export function refuseUpgrade(socket: Duplex, { status, headers, text }: TextAnswer): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const all = { ...headers, "Content-Length": String(Buffer.byteLength(text)), Connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
}

/** Answers a plain request with an error. */
export function refuseRequest(response: ServerResponse, { status, headers, text }: TextAnswer): void {
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(text) }).end(text);
}
