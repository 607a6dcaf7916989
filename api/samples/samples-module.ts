// Wires the sample avatars into the api: bundled portraits that can be downloaded without an account.

import type { AgentServices } from "../agents/agent-services.ts";
import type { Module } from "../kernel/module.ts";
import { bakeSampleJob, createSamplesRecovery } from "./sample-avatars.ts";
import { SAMPLE_FIELDS } from "./sample-fields.ts";
import { sampleRoutes } from "./sample-routes.ts";

export function createSamplesModule(services: AgentServices): Module {
  return {
    routes: sampleRoutes(services),
    fields: SAMPLE_FIELDS,
    jobs: [bakeSampleJob(services)],
    loops: [],
    recover: createSamplesRecovery(services),
    close: async () => undefined,
  };
}
