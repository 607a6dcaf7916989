// GET /readyz: whether avatar sessions can be started.
import { z } from "zod";
import { FAMILIES } from "../../shared/models.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { FamilyHealth, HealthStatus } from "./family-health.ts";

const healthSchema = z.enum(["ok", "degraded", "unhealthy"]);

export function readinessRoutes(health: FamilyHealth): Route[] {
  return [
    route({
      method: "get",
      path: "/readyz",
      operation: "system.readiness",
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
    }),
  ];
}

/** `ok` when all are, `unhealthy` when none works, `degraded` in between. */
function overall(statuses: readonly HealthStatus[]): HealthStatus {
  if (statuses.every((status) => status === "unhealthy")) return "unhealthy";
  return statuses.every((status) => status === "ok") ? "ok" : "degraded";
}
