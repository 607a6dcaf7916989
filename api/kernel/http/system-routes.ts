// Routes for operators and tools: readiness, metrics and the OpenAPI document.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { FAMILIES } from "../../../shared/models.ts";
import type { FamilyHealth, HealthStatus } from "../../sessions/family-health.ts";
import { Answer } from "./answer.ts";
import { isLoopback } from "./loopback.ts";
import type { HttpMetrics } from "./metrics.ts";
import { type Route, route } from "./route.ts";

const healthSchema = z.enum(["ok", "degraded", "unhealthy"]);

export interface SystemRoutesOptions {
  metrics: HttpMetrics;
  health: FamilyHealth;
  /** Makes the OpenAPI document. */
  describe(): object;
}

export function systemRoutes({ metrics, health, describe }: SystemRoutesOptions): Route[] {
  const readyz = route({
    method: "get",
    path: "/readyz",
    tier: "none",
    auth: "none",
    summary: "Whether the service works, by model family; always 200",
    tags: ["System"],
    response: z.object({
      status: healthSchema,
      families: z.record(z.string(), z.object({ status: healthSchema })),
      window_seconds: z.int(),
      replica_scope: z.string(),
    }),
    errors: [],
    async handler() {
      const statuses = FAMILIES.map((family) => [family, { status: health.statusOf(family) }] as const);
      const status = overall(statuses.map(([, family]) => family.status));
      return {
        status,
        families: Object.fromEntries(statuses),
        window_seconds: health.windowSeconds,
        replica_scope: "process",
      };
    },
  });
  const metricsRoute = route({
    method: "get",
    path: "/metrics",
    tier: "none",
    auth: "none",
    summary: "Figures in the Prometheus text format, for this machine only",
    tags: ["System"],
    errors: [],
    internal: true,
    async handler({ request }) {
      // Behind a proxy every peer is this machine, so the forwarded address has to be from here too.
      if (!isLoopback(request.ip) || request.headers["x-forwarded-for"] !== undefined) {
        throw new ServiceError("NOT_FOUND", "There is no such path");
      }
      const { registry } = metrics;
      return new Answer<undefined>({
        headers: { "Content-Type": registry.contentType },
        bytes: await registry.metrics(),
      });
    },
  });
  // Routes do not change while the process runs.
  let document: string | null = null;
  const openapi = route({
    method: "get",
    path: "/openapi.json",
    tier: "none",
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document",
    tags: ["System"],
    errors: [],
    internal: true,
    async handler() {
      document ??= JSON.stringify(describe());
      return new Answer<undefined>({ headers: { "Content-Type": "application/json" }, bytes: document });
    },
  });
  return [readyz, metricsRoute, openapi];
}

/** `ok` when all are, `unhealthy` when none works, `degraded` in between. */
function overall(statuses: readonly HealthStatus[]): HealthStatus {
  if (statuses.every((status) => status === "unhealthy")) return "unhealthy";
  return statuses.every((status) => status === "ok") ? "ok" : "degraded";
}
