// Wires the web pages into the api.
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { pageAccessRoutes } from "./page-access-routes.ts";
import { pageRoutes } from "./page-routes.ts";

export function createPagesModule(kernel: Kernel): Module {
  return {
    routes: [...pageRoutes(kernel), ...pageAccessRoutes(kernel)],
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
