// Wires the web pages into the api.
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { pageAccessRoutes } from "./page-access-routes.ts";
import { notFoundPage, pageRoutes } from "./page-routes.ts";

export interface PagesModule extends Module {
  notFoundPage: typeof notFoundPage;
}

export function createPagesModule(kernel: Kernel): PagesModule {
  return {
    notFoundPage,
    routes: [...pageRoutes(kernel), ...pageAccessRoutes(kernel)],
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
