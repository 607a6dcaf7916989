// Answers broken requests: bytes that are not HTTP, headers over the limit, requests that time out. By default Node
// sends a bare status line; our clients expect the error envelope.
import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import { toErrorAnswer } from "../../../program/http/error-answer.ts";
import { ServiceError } from "../../../shared/errors.ts";

/** Status and message by Node's error code; any other code means a malformed request. */
const KNOWN: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The URL and headers are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive"],
};

/** Makes a server answer broken requests in the contract's envelope, with the matching HTTP status. */
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
