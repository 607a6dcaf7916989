// Wires files into the api: uploads, and the links to everything that is stored.
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { fileRoutes } from "./file-routes.ts";
import { uploadRoutes } from "./upload-routes.ts";

export function createFilesModule(kernel: Kernel): Module {
  return {
    routes: [...uploadRoutes(kernel), ...fileRoutes(kernel)],
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
