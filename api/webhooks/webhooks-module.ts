// Wires webhooks into the api: services, routes, background work.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { Route } from "../kernel/http/route.ts";
import { createJobRunner, sweepJobQueues } from "../kernel/jobs/job-runner.ts";
import type { BackgroundService, Services } from "../kernel/services.ts";
import { createTextSeal } from "../kernel/tokens/sealed-text.ts";
import { deliverWebhooksJob, wakeStrandedLanes } from "./deliver-job.ts";
import { deleteOldDeliveries } from "./delivery-store.ts";
import { sessionWebhookRoutes } from "./session-webhook-routes.ts";
import { DELIVERY_POLICIES, type DeliveryPolicies } from "./webhook-endpoint.ts";
import { webhookRoutes } from "./webhook-routes.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** Lanes sent at a time by one process. They mostly wait for slow endpoints. */
const CONCURRENT_LANES = 12;
/** Sends that are under way at a stop get this long. */
const FINISH_MS = 3_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const LOG_KEPT_MS = 30 * 24 * 3_600_000;

export interface WebhooksModule {
  routes: Route[];
  /** The job runner and the sweeper of old deliveries. */
  background: BackgroundService;
}

/** Builds the module. Other policies than the contract's are for tests that cannot wait as long. */
export function createWebhooksModule(api: Services, policies: DeliveryPolicies = DELIVERY_POLICIES): WebhooksModule {
  const logger = api.logger.child({ part: "webhooks" });
  const services: WebhookServices = {
    database: api.database,
    outgoing: api.outgoing,
    secretSeal: createTextSeal(api.signingKey, "webhook-secret"),
    headersSeal: createTextSeal(api.signingKey, "webhook-headers"),
    policies,
    allowsLoopback: api.config.AVATAR_ALLOW_PRIVATE_ADDRESSES,
    logger,
    now: api.now,
  };
  const cutOff = new AbortController();
  const runner = createJobRunner({
    pool: api.pool,
    kinds: [deliverWebhooksJob(services, cutOff.signal)],
    concurrency: CONCURRENT_LANES,
    logger,
    onRecovery: () => wakeStrandedLanes(services),
  });
  const sweeper = createBackgroundLoop({
    name: "webhook-sweeper",
    intervalMs: SWEEP_INTERVAL_MS,
    async work() {
      await deleteOldDeliveries(services.database, new Date(services.now() - LOG_KEPT_MS));
      await sweepJobQueues(api.pool, logger);
    },
    logger,
  });
  return {
    routes: [...webhookRoutes(services), ...sessionWebhookRoutes(services)],
    background: {
      async start() {
        await runner.start();
        await sweeper.start();
      },
      async close() {
        const timer = setTimeout(() => cutOff.abort(), FINISH_MS);
        await sweeper.close();
        await runner.close();
        clearTimeout(timer);
      },
    },
  };
}
