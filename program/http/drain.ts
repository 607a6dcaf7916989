// Ends a request that was answered before its body had arrived completely.
import type { IncomingMessage } from "node:http";

/** Limit of bytes that are read and dropped: more than clients have in flight when the answer reaches them. */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;

const TIMEOUT_MS = 5_000;

/** Reads and drops the rest of a body, so that the caller gets the answer instead of a broken connection. Disconnects a
 *  caller that sends more than `maxBytes`, or for longer than `timeoutMs`. */
export function drain(request: IncomingMessage, maxBytes = MAX_DRAINED_BYTES, timeoutMs = TIMEOUT_MS): void {
  if (request.complete || request.destroyed) return;
  let drainedBytes = 0;
  const timer = setTimeout(() => request.destroy(), timeoutMs).unref();
  request.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > maxBytes) request.destroy();
  });
  // The caller may have disconnected; then the answer is dropped.
  request.on("error", () => undefined);
  request.resume();
}
