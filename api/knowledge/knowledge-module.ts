// Wires knowledge bases into the api: services, routes, background work.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { createOpenAiEndpoint, type OpenAiEndpoint } from "../kernel/outgoing/openai-endpoint.ts";
import { buildKnowledgeBaseJob, settleOrphanedBuilds } from "./build-job.ts";
import { conversationKnowledgeRoutes } from "./conversation-routes.ts";
import { createEmbedder } from "./embeddings.ts";
import { knowledgeRoutes } from "./knowledge-routes.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import { syncSources } from "./sync-sources.ts";
import { createVectorCache } from "./vector-cache.ts";

const SYNC_INTERVAL_MS = 60_000;

export interface KnowledgeModule extends Module {
  services: KnowledgeServices;
}

/** Builds the module. */
export function createKnowledgeModule(api: Kernel): KnowledgeModule {
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
  const sync = createBackgroundLoop({
    name: "knowledge-sync",
    intervalMs: SYNC_INTERVAL_MS,
    work: () => syncSources(services),
    logger,
  });
  return {
    services,
    routes: [...knowledgeRoutes(services), ...conversationKnowledgeRoutes(services)],
    jobs: [buildKnowledgeBaseJob(services)],
    loops: [sync],
    recover: () => settleOrphanedBuilds(services),
    close: async () => endpoint?.close(),
  };
}
