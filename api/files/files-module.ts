// Wires files into the api: uploads, and links to stored files.

import { BackgroundLoop } from "../kernel/background-loop.ts";
import type { Module } from "../kernel/module.ts";
import { FILE_FIELDS } from "./file-fields.ts";
import { fileRoutes } from "./file-routes.ts";
import type { FileServices } from "./file-services.ts";
import { uploadRoutes } from "./upload-routes.ts";
import { sweepUploads } from "./upload-store.ts";

const SWEEP_INTERVAL_MS = 600_000;

export function createFilesModule(services: FileServices): Module {
  const sweep = new BackgroundLoop({
    name: "upload-retention",
    intervalMs: SWEEP_INTERVAL_MS,
    work: () => sweepUploads(services, services.config.retention.uploadMs),
    logger: services.logger,
  });
  return {
    routes: [...uploadRoutes(services), ...fileRoutes(services)],
    fields: FILE_FIELDS,
    jobs: [],
    loops: [sweep],
    close: async () => undefined,
  };
}
