// Wires agents' gestures into the api: routes, the job that makes them, and their end with their agents.
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { FILM_NICENESS } from "../kernel/media/film-niceness.ts";
import type { Module } from "../kernel/module.ts";
import { deleteDynamicsJob, deleteDynamicsWithAgent } from "./delete-dynamics.ts";
import { DYNAMICS_FIELDS } from "./dynamics-fields.ts";
import { dynamicsJob } from "./dynamics-job.ts";
import { dynamicsRoutes } from "./dynamics-routes.ts";
import { DYNAMICS_RESULTS, type DynamicsServices } from "./dynamics-services.ts";
import { failOrphanedRuns } from "./settle-dynamics.ts";

export interface DynamicsModuleOptions extends Kernel {
  billingLinks: BillingLinks;
  /** Default: lowest priority. Tests share the machine with other tests and use their priority. */
  filmNiceness?: number;
}

/** Builds the module and subscribes it to the deletion of agents. */
export function createDynamicsModule(options: DynamicsModuleOptions): Module {
  const services: DynamicsServices = {
    ...options,
    filmNiceness: options.filmNiceness ?? FILM_NICENESS,
    logger: options.logger.child({ part: "dynamics" }),
    countRun: options.metrics.counter("avatar_dynamics_total", "Generations of gestures that ended, by result.", {
      name: "result",
      values: DYNAMICS_RESULTS,
    }),
  };
  deleteDynamicsWithAgent(services);
  return {
    routes: dynamicsRoutes(services),
    fields: DYNAMICS_FIELDS,
    jobs: [dynamicsJob(services), deleteDynamicsJob(services)],
    loops: [],
    recover: () => failOrphanedRuns(services),
    // The signal of the job runner ends a run that is being made.
    close: async () => undefined,
  };
}
