// Routes for operators and tools: a probe for load balancers, metrics and the OpenAPI document.
import { promisify } from "node:util";
import { brotliCompress, gzip as gzipCompress } from "node:zlib";
import { z } from "zod";
import { isLoopback } from "../../../program/outgoing/loopback.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import { type Encoding, encodingsOf } from "./accepted-encodings.ts";
import { Answer } from "./answer.ts";
import { type Route, route } from "./route.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzipCompress);

export interface SystemRoutesOptions {
  metrics: Metrics;
  /** Creates the OpenAPI document. */
  describe(): object;
}

export function systemRoutes({ metrics, describe }: SystemRoutesOptions): Route[] {
  // The dependencies are the same for all api processes: if a balancer gave all of them up, clients would get its error
  // page instead of this api's answers. A process that closes does not listen any more.
  const health = route({
    method: "get",
    path: "/healthz",
    operation: "system.health",
    tier: "none",
    auth: "none",
    summary: "Probe for load balancers: 200 while this process answers, whatever its dependencies do",
    tags: ["System"],
    response: z.object({ ok: z.literal(true) }),
    errors: [],
    internal: true,
    handler: async () => ({ ok: true as const }),
  });
  const metricsRoute = route({
    method: "get",
    path: "/metrics",
    operation: "system.metrics",
    tier: "none",
    auth: "none",
    summary: "Metrics in the Prometheus text format; only for requests from this machine",
    tags: ["System"],
    errors: [],
    internal: true,
    async handler({ request }) {
      // Behind a proxy every peer is this machine, so a request with a forwarded address is refused too.
      if (!isLoopback(request.ip) || request.headers["x-forwarded-for"] !== undefined) {
        throw new ServiceError("NOT_FOUND", "No endpoint GET /metrics");
      }
      const { registry } = metrics;
      return new Answer<undefined>({
        headers: { "Content-Type": registry.contentType },
        bytes: await registry.metrics(),
      });
    },
  });
  // Routes do not change while the process runs. Most of the document repeats itself: compressed it is a tenth.
  let document: Promise<Record<Encoding | "plain", Uint8Array>> | undefined;
  const openapi = route({
    method: "get",
    path: "/openapi.json",
    operation: "system.document",
    tier: "none",
    auth: "none",
    summary: "Get this API as an OpenAPI 3.1 document",
    tags: ["System"],
    errors: [],
    internal: true,
    async handler({ request }) {
      document ??= compressed(Buffer.from(JSON.stringify(describe())));
      const [encoding] = encodingsOf(String(request.headers["accept-encoding"] ?? ""));
      return new Answer<undefined>({
        headers: {
          "Content-Type": "application/json",
          Vary: "Accept-Encoding",
          ...(encoding && { "Content-Encoding": encoding }),
        },
        bytes: (await document)[encoding ?? "plain"],
      });
    },
  });
  return [health, metricsRoute, openapi];
}

async function compressed(plain: Buffer): Promise<Record<Encoding | "plain", Uint8Array>> {
  const [br, gzip] = await Promise.all([brotliAsync(plain), gzipAsync(plain)]);
  return { br, gzip, plain };
}
