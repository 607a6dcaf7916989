// Wires knowledge bases into the api: services, routes, background work.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { Route } from "../kernel/http/route.ts";
import { createJobRunner } from "../kernel/jobs/job-runner.ts";
import { createOpenAiEndpoint, type OpenAiEndpoint } from "../kernel/outgoing/openai-endpoint.ts";
import type { BackgroundService, Services } from "../kernel/services.ts";
import { buildKnowledgeBaseJob, settleOrphanedBuilds } from "./build-job.ts";
import { conversationKnowledgeRoutes } from "./conversation-routes.ts";
import { createEmbedder } from "./embeddings.ts";
import { knowledgeRoutes } from "./knowledge-routes.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import { syncSources } from "./sync-sources.ts";
import { createVectorCache } from "./vector-cache.ts";

/** Each reads one document at a time, in a process of its own. */
const CONCURRENT_BUILDS = 2;
const SYNC_INTERVAL_MS = 60_000;

export interface KnowledgeModule {
  services: KnowledgeServices;
  routes: Route[];
  /** The job runner, and the loop that looks at addresses again. */
  background: BackgroundService;
}

/** Builds the module. */
export function createKnowledgeModule(api: Services): KnowledgeModule {
  const logger = api.logger.child({ part: "knowledge" });
  const { config } = api;
  const endpoint: OpenAiEndpoint | null = config.OPENAI_EMBEDDINGS_BASE_URL
    ? createOpenAiEndpoint({ baseUrl: config.OPENAI_EMBEDDINGS_BASE_URL, apiKey: config.OPENAI_EMBEDDINGS_API_KEY })
    : null;
  const services: KnowledgeServices = {
    database: api.database,
    storage: api.storage,
    fileLinks: api.fileLinks,
    outgoing: api.outgoing,
    embedder: endpoint && createEmbedder(endpoint, config.OPENAI_EMBEDDINGS_MODEL),
    vectors: createVectorCache(),
    logger,
    now: api.now,
  };
  const runner = createJobRunner({
    pool: api.pool,
    kinds: [buildKnowledgeBaseJob(services)],
    concurrency: CONCURRENT_BUILDS,
    logger,
    onRecovery: () => settleOrphanedBuilds(services),
  });
  const sync = createBackgroundLoop({
    name: "knowledge-sync",
    intervalMs: SYNC_INTERVAL_MS,
    work: () => syncSources(services),
    logger,
  });
  return {
    services,
    routes: [...knowledgeRoutes(services), ...conversationKnowledgeRoutes(services)],
    background: {
      async start() {
        await runner.start();
        await sync.start();
      },
      async close() {
        await sync.close();
        await runner.close();
        await endpoint?.close();
      },
    },
  };
}
