// Builds the api out of its parts. Building, starting and listening are apart, so that tests can have an api without a port.
import type Koa from "koa";
import type { Pool } from "pg";
import packageJson from "../package.json" with { type: "json" };
import type { Config } from "../shared/config.ts";
import type { Logger } from "../shared/log.ts";
import { createAuthenticator } from "./accounts/authenticator.ts";
import { billingLinks } from "./accounts/credits/billing-links.ts";
import { createPlanRenewal } from "./accounts/plans/plan-renewal.ts";
import { createSecretGate } from "./accounts/secrets/secret-gate.ts";
import { createAgentsModule } from "./agents/agents-module.ts";
import { offeredModels } from "./agents/models/offered-models.ts";
import { PortraitProcess } from "./agents/portraits/portrait-process.ts";
import { createClock } from "./kernel/clock.ts";
import { createDatabase } from "./kernel/database/database.ts";
import { createApp } from "./kernel/http/create-app.ts";
import { createHttpMetrics } from "./kernel/http/metrics.ts";
import { createOpenApiDocument } from "./kernel/http/openapi.ts";
import { retiredRoutes } from "./kernel/http/retired-routes.ts";
import type { Route } from "./kernel/http/route.ts";
import { systemRoutes } from "./kernel/http/system-routes.ts";
import { createBucketSweeper } from "./kernel/limits/bucket-sweeper.ts";
import { createRateLimiter } from "./kernel/limits/token-bucket.ts";
import { createLiveKitGateway, type LiveKitOptions } from "./kernel/livekit/livekit-gateway.ts";
import { createOutgoingClient } from "./kernel/outgoing/outgoing-client.ts";
import type { BackgroundService, Services } from "./kernel/services.ts";
import { createOwnFileLinks } from "./kernel/storage/file-links.ts";
import { openStorage } from "./kernel/storage/open-storage.ts";
import { withOwnFiles } from "./kernel/storage/own-files.ts";
import { createTextSeal } from "./kernel/tokens/sealed-text.ts";
import { ensureSigningKey } from "./kernel/tokens/signing-key.ts";
import { createTokens } from "./kernel/tokens/tokens.ts";
import { createKnowledgeModule } from "./knowledge/knowledge-module.ts";
import { createRoutes } from "./routes.ts";
import { type AvatarSessions, createAvatarSessions } from "./sessions/avatar-sessions.ts";
import { createFamilyHealth } from "./sessions/family-health.ts";
import { createSessionWatchdog } from "./sessions/session-watchdog.ts";
import type { DeliveryPolicies } from "./webhooks/webhook-endpoint.ts";
import { createWebhooksModule } from "./webhooks/webhooks-module.ts";

export interface ApiOptions {
  config: Config;
  /** Connections to a migrated database; stays the caller's to close. */
  pool: Pool;
  livekit: LiveKitOptions;
  logger: Logger;
  /** Default: the contract's. Tests cannot wait as long. */
  webhookPolicies?: DeliveryPolicies;
}

export interface Api extends BackgroundService {
  /** `app.callback()` answers requests from the moment of building. */
  app: Koa;
  services: Services;
  avatarSessions: AvatarSessions;
  /** The OpenAPI document of its routes. */
  describe(): ReturnType<typeof createOpenApiDocument>;
}

/** Builds the api on a migrated database. `start()` begins the work beside the requests; `close()` ends it and is idempotent. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { config, pool, logger } = options;
  const now = createClock(config.AVATAR_NOW);
  const database = createDatabase(pool);
  const signingKey = await ensureSigningKey(database);
  const livekit = createLiveKitGateway(options.livekit);
  const storage = await openStorage(config);
  const fileLinks = createOwnFileLinks({ publicUrl: config.publicUrl, signingKey, now });
  const outgoing = createOutgoingClient({
    allowPrivate: config.AVATAR_ALLOW_PRIVATE_ADDRESSES,
    allowHosts: ownHosts(livekit.url),
  });
  const services: Services = {
    config,
    logger,
    now,
    pool,
    database,
    storage,
    fileLinks,
    outgoing: withOwnFiles({ outgoing, fileLinks, storage }),
    inspector: new PortraitProcess({ logger }),
    livekit,
    tokens: createTokens({ signingKey, now }),
    signingKey,
    limiter: createRateLimiter({ pool, now }),
    links: billingLinks(config.publicUrl),
    offeredModels: offeredModels(config),
    metrics: createHttpMetrics(),
  };
  const health = createFamilyHealth(now);
  const seal = createTextSeal(signingKey, "livekit-token");
  const avatarSessions = createAvatarSessions({ services, health, seal });
  const agents = await createAgentsModule(services);
  const webhooks = createWebhooksModule(services, options.webhookPolicies);
  const knowledge = createKnowledgeModule(services);
  const background: BackgroundService[] = [
    createBucketSweeper(services),
    createPlanRenewal(services),
    createSessionWatchdog({ services, avatarSessions }),
    agents.background,
    webhooks.background,
    knowledge.background,
  ];
  const describe: Api["describe"] = () => createOpenApiDocument({ routes, version: packageJson.version });
  const routes: Route[] = [
    ...createRoutes(services, avatarSessions, agents),
    ...webhooks.routes,
    ...knowledge.routes,
    ...retiredRoutes(),
    ...systemRoutes({ metrics: services.metrics, health, describe }),
  ];
  const app = createApp({
    routes,
    authenticator: createAuthenticator({ ...services, gate: createSecretGate(services) }),
    limiter: services.limiter,
    metrics: services.metrics,
    logger,
    trustProxy: config.AVATAR_TRUST_PROXY,
  });
  let closing: Promise<void> | null = null;

  return {
    app,
    services,
    avatarSessions,
    describe,
    async start() {
      for (const service of background) await service.start();
    },
    close() {
      closing ??= (async () => {
        for (const service of background.toReversed()) await service.close();
        await services.inspector.close();
        await services.outgoing.close();
      })();
      return closing;
    },
  };
}

/** Our own LiveKit server, which callers may name although its address is private; on loopback under both its names. */
function ownHosts(livekitUrl: string): string[] {
  const url = new URL(livekitUrl);
  const port = url.port === "" ? (url.protocol === "wss:" ? "443" : "80") : url.port;
  const isLoopback = url.hostname === "127.0.0.1" || url.hostname === "localhost";
  return (isLoopback ? ["127.0.0.1", "localhost"] : [url.hostname]).map((hostname) => `${hostname}:${port}`);
}
