// Wires the stream of changes into the api.
import type { Module } from "../kernel/module.ts";
import { type ChangeServices, createChangeFeed } from "./change-feed.ts";
import { changeRoutes } from "./change-routes.ts";

export interface ChangesModule extends Module {
  /** Ends all streams. They would hold connections open that a service that stops waits for. */
  stopStreams(): void;
}

export function createChangesModule(services: ChangeServices): ChangesModule {
  const feed = createChangeFeed(services);
  return {
    routes: changeRoutes(feed, services),
    jobs: [],
    loops: [feed],
    stopStreams: () => feed.stop(),
    close: async () => undefined,
  };
}
