// Answers what never becomes a request: bytes that are not HTTP, headers beyond the limit, requests that take forever.
// Node answers those itself with a bare status line; clients of ours read the envelope.
import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import { ServiceError } from "../../../shared/errors.ts";
import { toErrorAnswer } from "./errors.ts";

/** Status and message by Node's code; everything else is malformed. */
const KNOWN: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The URL and headers are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive"],
};

/** Has a server answer broken requests in the contract's envelope, with the status that HTTP has for them. */
export function answerConnectionErrors(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const [status, message] = KNOWN[error.code ?? ""] ?? [400, "This is not a valid HTTP request"];
    const text = JSON.stringify(toErrorAnswer(new ServiceError("VALIDATION_ERROR", message), status).body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${randomUUID()}`,
      "X-Content-Type-Options: nosniff",
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
  });
}
