// The HTTP server of the api.
import { createServer, type RequestListener, type Server } from "node:http";
import { answerConnectionErrors } from "./connection-errors.ts";

export interface HttpServerLimits {
  /** For the headers of a request, ms. Default 20,000. */
  headersMs?: number;
  /** For a whole request with its body, ms. Default 300,000: 100 MB at 2.7 Mbit/s. */
  requestMs?: number;
}

/** A server that does not listen yet. A client that is slower than the limits gets 408, and its connection is closed
 *  within another quarter of `headersMs`. */
export function createHttpServer(
  answer: RequestListener,
  { headersMs = 20_000, requestMs = 300_000 }: HttpServerLimits = {},
): Server {
  const server = createServer(
    { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: headersMs / 4 },
    answer,
  );
  answerConnectionErrors(server);
  return server;
}
