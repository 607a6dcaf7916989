// GET /readyz: whether avatar sessions can be started.
import { z } from "zod";
import { FAMILIES } from "../../../shared/models.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { FamilyHealth, HealthStatus } from "./family-health.ts";
import type { Readiness } from "./readiness.ts";

const healthSchema = z.enum(["ok", "degraded", "unhealthy"]).meta({ id: "HealthStatus" });

const readinessSchema = z
  .object({
    status: healthSchema,
    families: z.record(z.string(), z.object({ status: healthSchema }).meta({ id: "FamilyReadiness" })),
    window_seconds: z.int().meta({ description: "Time window of the session starts that are counted, in seconds" }),
    replica_scope: z.string().meta({ description: "Always process: the metrics of the families cover one process" }),
    checks: z
      .object({
        database: z.enum(["ok", "away"]).meta({ description: "Whether the database answers" }),
        livekit: z
          .enum(["ok", "away", "outdated"])
          .meta({ description: "Whether the LiveKit server answers and is new enough (1.9.12)" }),
        workers: z.enum(["ok", "away", "unknown"]).meta({
          description: "Whether a worker has reported recently; unknown while the database does not answer",
        }),
        relays: z.enum(["ok", "away", "unknown"]).meta({
          description: "Whether a realtime relay has reported recently; avatar sessions do not need one",
        }),
      })
      .meta({ description: "State of the dependencies; if one but relays is not ok, every family is unhealthy" }),
  })
  .meta({ id: "Readiness" });

export function readinessRoutes(health: FamilyHealth, check: () => Promise<Readiness>): Route[] {
  return [
    route({
      method: "get",
      path: "/readyz",
      operation: "system.readiness",
      tier: "none",
      auth: "none",
      summary: "Get whether avatar sessions can be started, by model family; the status is always 200",
      tags: ["System"],
      response: readinessSchema,
      errors: [],
      async handler() {
        const checks = await check();
        const { relays: _, ...needed } = checks;
        const isUp = Object.values(needed).every((state) => state === "ok");
        const statusOf = (family: (typeof FAMILIES)[number]): HealthStatus =>
          isUp ? health.statusOf(family) : "unhealthy";
        const families = FAMILIES.map((family) => [family, { status: statusOf(family) }] as const);
        return {
          status: overall(families.map(([, { status }]) => status)),
          families: Object.fromEntries(families),
          window_seconds: health.windowSeconds,
          replica_scope: "process",
          checks,
        };
      },
    }),
  ];
}

/** `ok` if all are, `unhealthy` if all are, `degraded` otherwise. */
function overall(statuses: readonly HealthStatus[]): HealthStatus {
  if (statuses.every((status) => status === "unhealthy")) return "unhealthy";
  return statuses.every((status) => status === "ok") ? "ok" : "degraded";
}
