// Wires knowledge bases into the api: services, routes, background work.

import type { FileServices } from "../files/file-services.ts";
import { BackgroundLoop } from "../kernel/background-loop.ts";
import type { Module } from "../kernel/module.ts";
import { createOpenAiEndpoint } from "../kernel/outgoing/openai-endpoint.ts";
import { KNOWLEDGE_FIELDS } from "./knowledge-fields.ts";
import { knowledgeRoutes } from "./knowledge-routes.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import { eraseDeletedOrganizations, listenToOrganizations } from "./organization-knowledge.ts";
import { createEmbedder } from "./search/embeddings.ts";
import { conversationKnowledgeRoutes } from "./search/search-routes.ts";
import { createVectorIndex } from "./search/vector-index.ts";
import { buildKnowledgeBaseJob, settleOrphanedBuilds } from "./sources/build-job.ts";
import { sourceRoutes } from "./sources/source-routes.ts";
import { syncSources } from "./sources/sync-sources.ts";

const SYNC_INTERVAL_MS = 60_000;

export interface KnowledgeModule extends Module {
  services: KnowledgeServices;
}

/** Builds the module. */
export function createKnowledgeModule(api: FileServices): KnowledgeModule {
  const logger = api.logger.child({ part: "knowledge" });
  const { embeddings } = api.config;
  const endpoint = embeddings && createOpenAiEndpoint(embeddings);
  const services: KnowledgeServices = {
    database: api.database,
    storage: api.storage,
    fileLinks: api.fileLinks,
    outgoing: api.outgoing,
    embedder: endpoint ? createEmbedder(endpoint, embeddings.model) : null,
    vectors: createVectorIndex(api.database),
    limiter: api.limiter,
    links: api.links,
    logger,
    now: api.now,
  };
  listenToOrganizations(api.events);
  const sync = new BackgroundLoop({
    name: "knowledge-sync",
    intervalMs: SYNC_INTERVAL_MS,
    async work() {
      await eraseDeletedOrganizations(services);
      await syncSources(services);
    },
    logger,
  });
  return {
    services,
    routes: [...sourceRoutes(services), ...knowledgeRoutes(services), ...conversationKnowledgeRoutes(services)],
    fields: KNOWLEDGE_FIELDS,
    jobs: [buildKnowledgeBaseJob(services)],
    loops: [sync],
    recover: () => settleOrphanedBuilds(services),
    async close() {
      await services.vectors.close();
      endpoint?.close();
    },
  };
}
