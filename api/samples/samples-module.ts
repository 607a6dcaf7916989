// Wires the sample avatars into the api: bundled portraits that can be downloaded without an account, and the faces of
// the pages.

import type { Module } from "../kernel/module.ts";
import { bakeSampleJob, createSamplesRecovery } from "./sample-avatars.ts";
import { sampleFaceRoutes } from "./sample-face-routes.ts";
import { SAMPLE_FIELDS } from "./sample-fields.ts";
import { sampleRoutes } from "./sample-routes.ts";
import type { SampleServices } from "./sample-services.ts";

export function createSamplesModule(services: SampleServices): Module {
  return {
    routes: [...sampleRoutes(services), ...sampleFaceRoutes(services)],
    fields: SAMPLE_FIELDS,
    jobs: [bakeSampleJob(services)],
    loops: [],
    recover: createSamplesRecovery(services),
    close: async () => undefined,
  };
}
