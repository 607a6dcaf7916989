// Wires the embed page's own calls, an account's embed settings and the demo into the api.

import type { PageAgents } from "../agents/page-agents.ts";
import type { PosterLinks } from "../agents/posters/poster-links.ts";
import type { Module } from "../kernel/module.ts";
import type { Launcher } from "../sessions/launch/launcher.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import { bundleRoutes } from "./bundle-routes.ts";
import { demoRoutes } from "./demo-routes.ts";
import { embedAgentRoutes } from "./embed-agent-routes.ts";
import { EMBED_FIELDS } from "./embed-fields.ts";
import { embedLinkRoutes } from "./embed-link-routes.ts";
import { deleteExpiredLinks } from "./embed-link-store.ts";
import { embedRoutes } from "./embed-routes.ts";
import { embedSettingsRoutes } from "./embed-settings-routes.ts";
import { visitRoutes } from "./visit-routes.ts";
import "./embed-tables.ts";

export interface EmbedModuleOptions extends SessionServices {
  launcher: Launcher;
  posters: PosterLinks;
  pageAgents: PageAgents;
}

export function createEmbedModule(options: EmbedModuleOptions): Module {
  return {
    routes: [
      ...embedAgentRoutes(options),
      ...embedRoutes(options, options.launcher),
      ...bundleRoutes(options),
      ...embedLinkRoutes(options),
      ...embedSettingsRoutes(options),
      ...visitRoutes(options),
      ...demoRoutes(options),
    ],
    fields: EMBED_FIELDS,
    jobs: [],
    loops: [],
    recover: () => deleteExpiredLinks(options.database, new Date(options.now())),
    close: async () => undefined,
  };
}
