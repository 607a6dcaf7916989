// Builds the api from its modules; no other file wires them together. Building, starting and listening are separate
// steps, so that tests can use an api without a port.

import type Koa from "koa";
import type { Pool } from "pg";
import type { Logger } from "../program/log.ts";
import { createOutgoingClient } from "../program/outgoing/outgoing-client.ts";
import type { ResolveHost } from "../program/outgoing/resolve-host.ts";
import { NO_TRACER, type Tracer } from "../program/telemetry/tracer.ts";
import { createAccountsModule } from "./accounts/accounts-module.ts";
import { AUTH_DESCRIPTIONS } from "./accounts/auth-descriptions.ts";
import { consoleOperationsOf, mountForConsole } from "./accounts/sign-in/mount-for-console.ts";
import type { AgentServices } from "./agents/agent-services.ts";
import { createAgentsModule } from "./agents/agents-module.ts";
import { offeredModels } from "./agents/models/offered-models.ts";
import type { Baker, Inspector } from "./agents/portraits/portrait-process.ts";
import { findPublicAgent } from "./agents/sharing/sharing-store.ts";
import type { VoiceMeter } from "./agents/voices/voice-process.ts";
import { createAssistantsModule } from "./assistants/assistants-module.ts";
import { CHANGE_CHANNEL } from "./changes/change-feed.ts";
import { createChangesModule } from "./changes/changes-module.ts";
import { createDynamicsModule } from "./dynamics/dynamics-module.ts";
import { createEmbedModule } from "./embed/embed-module.ts";
import { createFilesModule } from "./files/files-module.ts";
import type { ApiConfig } from "./kernel/api-config.ts";
import { createClock } from "./kernel/clock.ts";
import { createDatabase } from "./kernel/database/database.ts";
import { createNotifications } from "./kernel/database/notifications.ts";
import { createEvents } from "./kernel/events/events.ts";
import { COMMON_FIELDS } from "./kernel/http/common-fields.ts";
import { createApp } from "./kernel/http/create-app.ts";
import type { FieldDescriptions } from "./kernel/http/describe-fields.ts";
import { sweepAnswers } from "./kernel/http/idempotency.ts";
import { createOpenApiDocument } from "./kernel/http/openapi.ts";
import { retiredRoutes } from "./kernel/http/retired-routes.ts";
import type { Route } from "./kernel/http/route.ts";
import { systemRoutes } from "./kernel/http/system-routes.ts";
import { createJobMetrics } from "./kernel/jobs/job-metrics.ts";
import { createJobRunner, installJobTables } from "./kernel/jobs/job-runner.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { createBucketSweeper } from "./kernel/limits/bucket-sweeper.ts";
import { createRateLimiter } from "./kernel/limits/token-bucket.ts";
import { createLiveKitGateway, type LiveKitOptions } from "./kernel/livekit/livekit-gateway.ts";
import { createLiveKitGuard } from "./kernel/livekit/livekit-guard.ts";
import { FILM_NICENESS } from "./kernel/media/film-niceness.ts";
import type { BackgroundService, Module } from "./kernel/module.ts";
import { addKernelGauges } from "./kernel/monitoring/kernel-gauges.ts";
import { createMetrics } from "./kernel/monitoring/metrics.ts";
import { createFileLinks } from "./kernel/storage/file-links.ts";
import { openStorage } from "./kernel/storage/open-storage.ts";
import { withOwnFiles } from "./kernel/storage/own-files.ts";
import { ensureSigningKey, undividedKeyUntilMs } from "./kernel/tokens/signing-key.ts";
import { createTokens } from "./kernel/tokens/tokens.ts";
import { hasSearchableKnowledge, setAgentKnowledge } from "./knowledge/agent-knowledge.ts";
import { createKnowledgeModule } from "./knowledge/knowledge-module.ts";
import { listAgentKnowledge } from "./knowledge/knowledge-store.ts";
import { createOperatorModule } from "./operator/operator-module.ts";
import { isMemberOf } from "./organizations/member-store.ts";
import { createOrganizationsModule } from "./organizations/organizations-module.ts";
import { createPagesModule } from "./pages/pages-module.ts";
import { refusalPage } from "./pages/refusal-page.ts";
import { describeSelection } from "./providers/provider-selection.ts";
import { createProvidersModule } from "./providers/providers-module.ts";
import { createRealtimeModule } from "./realtime/realtime-module.ts";
import type { RealtimePolicies } from "./realtime/realtime-services.ts";
import { hasRelay } from "./realtime/relay-registry.ts";
import { createFindSampleAgent } from "./samples/sample-agents.ts";
import { createSamplesModule } from "./samples/samples-module.ts";
import { SLOT_CHANNEL } from "./sessions/launch/slot-channel.ts";
import type { AvatarSessions } from "./sessions/life/avatar-sessions.ts";
import { SESSION_CHANNEL } from "./sessions/life/session-machine.ts";
import { SESSION_POLICIES, type SessionPolicies } from "./sessions/life/session-policies.ts";
import type { SelfHostedSessions } from "./sessions/self-hosted/self-hosted-sessions.ts";
import { createSessionMetrics } from "./sessions/session-metrics.ts";
import type { SessionServices } from "./sessions/session-services.ts";
import { createSessionsModule } from "./sessions/sessions-module.ts";
import { createServiceVoice } from "./speech/create-service-voice.ts";
import { createSpeechModule } from "./speech/speech-module.ts";
import type { TranscriptionPolicies } from "./speech/speech-services.ts";
import type { VideoPolicies } from "./videos/video-services.ts";
import { VIDEO_CHANNEL } from "./videos/video-store.ts";
import { createVideosModule } from "./videos/videos-module.ts";
import type { DeliveryPolicies } from "./webhooks/webhook-endpoint.ts";
import { createWebhooksModule } from "./webhooks/webhooks-module.ts";

/** Version of the interface, not of the program. Source: the contract. */
const INTERFACE_VERSION = "1.0";

/** Timeouts, intervals, numbers of attempts and priorities. */
export interface Policies extends SessionPolicies {
  webhooks: DeliveryPolicies;
  /** Scheduling priority of the processes that make films, 0 (as the api) to 19. */
  filmNiceness: number;
  videos: Partial<Omit<VideoPolicies, "filmNiceness">>;
  realtime: Partial<RealtimePolicies>;
  transcriptions: Partial<TranscriptionPolicies>;
}

export interface ApiOptions {
  config: ApiConfig;
  /** Connections to a migrated database. The caller closes the pool. */
  pool: Pool;
  livekit: LiveKitOptions;
  logger: Logger;
  /** Overrides of the default timeouts and intervals; tests shorten them. */
  policies?: Partial<Policies>;
  /** Bakes avatars. Default: a child process of the api. Closed with the api. */
  baker?: Baker;
  /** Milliseconds since the epoch. Default: the machine's clock, or one from `AVATAR_NOW` on. */
  now?: () => number;
  /** Checks images. Default: a process of the api's own. Closed with the api. */
  inspector?: Inspector;
  /** Measures voice samples. Default: a process of the api's own. Closed with the api. */
  voices?: VoiceMeter;
  /** Looks up names that callers give. Default: as `createAddressGuard`. */
  resolveHost?: ResolveHost;
  /** Default: nothing is traced. The caller closes it. */
  tracer?: Tracer;
}

export interface Api extends BackgroundService {
  /** `app.callback()` answers requests as soon as the api is built. */
  app: Koa;
  services: SessionServices;
  agents: AgentServices;
  avatarSessions: AvatarSessions;
  selfHosted: SelfHostedSessions;
  /** Ends the streams of changes, before the server that carries them waits for its connections. */
  stopStreams(): void;
  /** Starts the background work; without `runsJobs`, all but the jobs of the queue. */
  start(options?: { runsJobs?: boolean }): Promise<void>;
  /** The OpenAPI document of its routes. */
  describe(): ReturnType<typeof createOpenApiDocument>;
}

/** Builds the api on a migrated database. `start()` starts the background work; `close()` ends it and is idempotent. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { config, logger, pool } = options;
  const kernel = await createKernel(options);
  // The queue's tables come first: requests may add jobs before the first is run.
  await installJobTables(pool, logger);
  const offered = offeredModels(config.rendering);
  const isRelayed = () => hasRelay(kernel.database);
  const isMember = (organizationId: string, userId: string) => isMemberOf(kernel.database, organizationId, userId);
  const accounts = createAccountsModule({
    ...kernel,
    offeredModels: offered,
    isRelayed,
    isPublicAgent: async (code, userId) => (await findPublicAgent(kernel.database, code))?.userId === userId,
    isMember,
    consoleOperations: () => consoleOperations,
  });
  const { links } = accounts.services;
  const organizations = createOrganizationsModule(accounts.services);
  const files = createFilesModule({ ...kernel, links });
  const providers = createProvidersModule(kernel);
  const agents = await createAgentsModule({
    ...kernel,
    billingLinks: links,
    offeredModels: offered,
    attachKnowledge: setAgentKnowledge,
    listKnowledge: listAgentKnowledge,
    baker: options.baker,
    inspector: options.inspector,
    voices: options.voices,
  });
  const voice = createServiceVoice(config, logger.child({ part: "speech" }));
  const videos = createVideosModule({
    ...kernel,
    portraits: agents.services,
    pageAgents: agents.services.pageAgents,
    billingLinks: links,
    offeredModels: offered,
    voice,
    policies: { ...options.policies?.videos, filmNiceness: options.policies?.filmNiceness ?? FILM_NICENESS },
  });
  const speech = createSpeechModule({ ...kernel, voice, transcriptionPolicies: options.policies?.transcriptions });
  const samples = createSamplesModule({ ...agents.services, clips: speech.clips });
  const dynamics = createDynamicsModule({
    ...kernel,
    billingLinks: links,
    filmNiceness: options.policies?.filmNiceness,
  });
  const services: SessionServices = {
    ...kernel,
    findSampleAgent: createFindSampleAgent(agents.services),
    inspector: agents.services.inspector,
    links,
    offeredModels: offered,
    policies: { ...SESSION_POLICIES, ...options.policies },
    sessionMetrics: createSessionMetrics(kernel),
    hasKnowledge: hasSearchableKnowledge,
    describeProviders: (agent) => describeSelection(providers.services, agent),
    isRelayed,
  };
  const sessions = createSessionsModule(services);
  const { avatarSessions, selfHosted } = sessions;
  const webhooks = createWebhooksModule({ ...kernel, policies: options.policies?.webhooks });
  const knowledge = createKnowledgeModule({ ...kernel, links });
  const { posters, pageAgents } = agents.services;
  const embed = createEmbedModule({ ...services, launcher: sessions.launcher, posters, pageAgents });
  const { authenticator } = accounts;
  const realtime = createRealtimeModule({ ...kernel, links, authenticator, policies: options.policies?.realtime });
  const pages = createPagesModule(kernel);
  const changes = createChangesModule({ ...kernel, openSessions: accounts.consoleSessions.openOnes, isMember });
  /** In the order in which the document lists their routes. */
  const modules: Module[] = [
    accounts,
    organizations,
    agents,
    providers,
    samples,
    videos,
    dynamics,
    speech,
    files,
    sessions,
    embed,
    realtime,
    pages,
    webhooks,
    knowledge,
    changes,
    createOperatorModule({ ...kernel, isRelayed }),
    createAssistantsModule({ ...kernel, answer: (request, response) => void answer(request, response) }),
  ];

  const describe: Api["describe"] = () =>
    createOpenApiDocument({ routes, version: INTERFACE_VERSION, auth: AUTH_DESCRIPTIONS, fields });
  const moduleRoutes = modules.flatMap((module) => module.routes);
  const mounted = mountForConsole(moduleRoutes);
  const consoleOperations = consoleOperationsOf(mounted);
  const routes: Route[] = [
    ...moduleRoutes,
    ...mounted,
    ...retiredRoutes(),
    ...systemRoutes({ metrics: kernel.metrics, describe }),
  ];
  const fields: FieldDescriptions = Object.assign({}, COMMON_FIELDS, ...modules.map((module) => module.fields));
  const app = createApp({
    routes,
    authenticator,
    limiter: kernel.limiter,
    metrics: kernel.metrics,
    tracer: kernel.tracer,
    logger,
    trustProxy: config.http.trustProxy,
    minFreeBytes: config.disk.minFreeBytes,
    refusalPage,
  });
  const answer = app.callback();
  const kinds = modules.flatMap((module) => module.jobs);
  const runner = createJobRunner({
    pool,
    kinds,
    metrics: createJobMetrics(
      kernel.metrics,
      pool,
      kinds.map(({ name }) => name),
    ),
    logger,
    async onRecovery() {
      for (const module of modules) await module.recover?.();
      await sweepAnswers(kernel.database, new Date(kernel.now()));
    },
  });
  const loops = [kernel.notifications, createBucketSweeper(kernel), ...modules.flatMap((module) => module.loops)];
  let closing: Promise<void> | null = null;

  return {
    app,
    services,
    agents: agents.services,
    avatarSessions,
    selfHosted,
    describe,
    stopStreams: () => changes.stopStreams(),
    async start({ runsJobs = true } = {}) {
      if (runsJobs) await runner.start();
      for (const loop of loops) await loop.start();
    },
    close() {
      closing ??= (async () => {
        for (const loop of loops.toReversed()) await loop.close();
        const stopped = runner.close();
        for (const module of modules.toReversed()) await module.close();
        await stopped;
        await kernel.outgoing.close();
      })();
      return closing;
    },
  };
}

async function createKernel(options: ApiOptions): Promise<Kernel> {
  const { config, pool, logger, livekit: server, now = createClock(config.clock.startsAt) } = options;
  const database = createDatabase(pool);
  const signingKey = await ensureSigningKey(database);
  const livekit = createLiveKitGateway({ publicUrl: config.livekit.publicUrl, ...server });
  const storage = await openStorage(config);
  const fileLinks = createFileLinks({ publicUrl: config.http.publicUrl, signingKey, now });
  const addressPolicy = { ...config.outgoing, resolveHost: options.resolveHost };
  const outgoing = createOutgoingClient(addressPolicy);
  const metrics = createMetrics();
  addKernelGauges({ metrics, pool, livekit, config });
  return {
    config,
    logger,
    now,
    pool,
    database,
    notifications: createNotifications({
      pool,
      channels: [SESSION_CHANNEL, SLOT_CHANNEL, VIDEO_CHANNEL, CHANGE_CHANNEL],
      logger,
    }),
    events: createEvents(),
    storage,
    fileLinks,
    outgoing: withOwnFiles({ outgoing, fileLinks, storage }),
    livekit,
    livekitGuard: createLiveKitGuard([livekit.url, livekit.publicUrl], addressPolicy),
    tokens: createTokens({ signingKey, undividedKeyUntilMs: await undividedKeyUntilMs(database), now }),
    signingKey,
    limiter: createRateLimiter({ pool, now }),
    metrics,
    tracer: options.tracer ?? NO_TRACER,
  };
}
