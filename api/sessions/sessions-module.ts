// Wires avatar sessions into the api: launches, reports of workers, and ends of sessions.

import type { Module } from "../kernel/module.ts";
import { createTextSeal } from "../kernel/tokens/sealed-text.ts";
import { launchRoutes } from "./launch/launch-routes.ts";
import { createLauncher, type Launcher } from "./launch/launcher.ts";
import { type AvatarSessions, createAvatarSessions } from "./life/avatar-sessions.ts";
import { endAgentSessionsJobs, endSessionsWithAgent } from "./life/end-agent-sessions.ts";
import { releaseSessionsJob } from "./life/revoke-runtime.ts";
import { createSessionMachine } from "./life/session-machine.ts";
import { createSessionWatchdog } from "./life/session-watchdog.ts";
import { createMessageSweep, deleteMessagesWithAgent } from "./messages/delete-messages.ts";
import { messageRoutes } from "./messages/message-routes.ts";
import { roomRoutes } from "./messages/room-routes.ts";
import { createFamilyHealth } from "./readiness/family-health.ts";
import { createReadinessCheck } from "./readiness/readiness.ts";
import { readinessRoutes } from "./readiness/readiness-routes.ts";
import { createRecordSweep } from "./record/record-sweep.ts";
import { createPortraitSweep } from "./record/session-portraits.ts";
import { runtimeRoutes } from "./runtime/runtime-routes.ts";
import { selfHostedRoutes } from "./self-hosted/self-hosted-routes.ts";
import { createSelfHostedSessions, type SelfHostedSessions } from "./self-hosted/self-hosted-sessions.ts";
import { SESSION_FIELDS } from "./session-fields.ts";
import type { SessionServices } from "./session-services.ts";
import { tokenRoutes } from "./tokens/token-routes.ts";
import { usageRoutes } from "./usage/usage-routes.ts";
import { avatarSessionRoutes } from "./views/avatar-session-routes.ts";
import { sessionReportRoutes } from "./views/session-report-routes.ts";
import { stillRoutes } from "./views/still-routes.ts";
import { turnRoutes } from "./views/turn-routes.ts";
import { createWorkerControl } from "./workers/worker-control.ts";
import { workerRoutes } from "./workers/worker-routes.ts";

export interface SessionsModule extends Module {
  launcher: Launcher;
  avatarSessions: AvatarSessions;
  selfHosted: SelfHostedSessions;
}

export function createSessionsModule(services: SessionServices): SessionsModule {
  const health = createFamilyHealth(services.now);
  const seal = createTextSeal(services.signingKey, "livekit-token");
  const machine = createSessionMachine({ services, health });
  const workers = createWorkerControl(services);
  const launcher = createLauncher({ services, machine, workers, seal });
  const avatarSessions = createAvatarSessions({ services, machine, workers, seal });
  const selfHosted = createSelfHostedSessions(services, machine);
  endSessionsWithAgent(services.events);
  deleteMessagesWithAgent(services.events);
  return {
    launcher,
    avatarSessions,
    selfHosted,
    routes: [
      ...launchRoutes(services, launcher),
      ...tokenRoutes(services),
      ...roomRoutes(services),
      ...avatarSessionRoutes(services, avatarSessions),
      ...stillRoutes(services),
      ...turnRoutes(services),
      ...sessionReportRoutes(services, avatarSessions),
      ...usageRoutes(services),
      ...selfHostedRoutes(services, selfHosted),
      ...runtimeRoutes(services, { avatarSessions, selfHosted }),
      ...messageRoutes(services),
      ...workerRoutes(services),
      ...readinessRoutes(health, createReadinessCheck(services)),
    ],
    fields: SESSION_FIELDS,
    jobs: [...endAgentSessionsJobs(services.database, avatarSessions), releaseSessionsJob(avatarSessions)],
    loops: [
      createSessionWatchdog({ services, avatarSessions, selfHosted }),
      createPortraitSweep(services),
      createRecordSweep(services),
      createMessageSweep(services),
    ],
    close: async () => undefined,
  };
}
