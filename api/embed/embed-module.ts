// Wires the embed page's own calls into the api.
import type { Module } from "../kernel/module.ts";
import type { AvatarSessions } from "../sessions/avatar-sessions.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import { embedRoutes } from "./embed-routes.ts";

export interface EmbedModuleOptions extends SessionServices {
  avatarSessions: AvatarSessions;
}

export function createEmbedModule(options: EmbedModuleOptions): Module {
  return {
    routes: embedRoutes(options, options.avatarSessions),
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
