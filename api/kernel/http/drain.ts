// Ends a request that was answered before all of its body had arrived.
import type { IncomingMessage } from "node:http";

/** Most bytes that are read and dropped: more than clients have in flight when the answer reaches them. */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;

/** Reads the rest of a body and drops it, so that the caller gets the answer instead of a broken connection. A
 *  caller who goes on sending for more than `maxBytes` is cut off. */
export function drain(request: IncomingMessage, maxBytes = MAX_DRAINED_BYTES): void {
  if (request.complete || request.destroyed) return;
  let drainedBytes = 0;
  request.on("data", (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > maxBytes) request.destroy();
  });
  // The caller may be gone already; there is nothing left to answer.
  request.on("error", () => undefined);
  request.resume();
}
