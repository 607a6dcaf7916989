// Wires agents into the api: services, routes, background work.
import { hkdfSync } from "node:crypto";
import { fileRoutes } from "../files/file-routes.ts";
import { openGallery } from "../gallery/gallery.ts";
import { bakeSampleJob } from "../gallery/sample-avatars.ts";
import { sampleRoutes } from "../gallery/sample-routes.ts";
import { sweepAnswers } from "../kernel/http/idempotency.ts";
import type { Route } from "../kernel/http/route.ts";
import { createJobRunner, installJobTables } from "../kernel/jobs/job-runner.ts";
import { createOpenAiEndpoint } from "../kernel/outgoing/openai-endpoint.ts";
import type { BackgroundService, Services } from "../kernel/services.ts";
import { agentRoutes } from "./agent-routes.ts";
import type { AgentServices, OpenAiModel } from "./agent-services.ts";
import { makeAgentJob } from "./making/make-agent.ts";
import { faceMarkRoutes } from "./marks/face-mark-routes.ts";
import { giveUpWaiting } from "./marks/face-marking.ts";
import { createMarkingLinks } from "./marks/marking-links.ts";
import { markingPageRoutes } from "./marks/marking-page-routes.ts";
import { addModelJob, settleOrphans } from "./models/add-model.ts";
import { modelRoutes } from "./models/model-routes.ts";
import { PortraitProcess } from "./portraits/portrait-process.ts";
import { purgeDeletedAgents } from "./purge-agents.ts";

/** Jobs at a time. Bakes queue up in the one baker anyway; the rest is waiting for pictures. */
const CONCURRENT_JOBS = 4;
/** Bakes give way to running avatar sessions. */
const BAKER_NICENESS = 5;
const LINK_KEY_BYTES = 32;

export interface AgentsModule {
  services: AgentServices;
  routes: Route[];
  /** The job runner and the process that bakes. */
  background: BackgroundService;
}

/** Builds the module: reads the gallery's index and installs the queue's tables, so that requests can add jobs before the first
 *  is run. */
export async function createAgentsModule(api: Services): Promise<AgentsModule> {
  const logger = api.logger.child({ part: "agents" });
  const { config } = api;
  await installJobTables(api.pool, logger);
  const services: AgentServices = {
    database: api.database,
    storage: api.storage,
    fileLinks: api.fileLinks,
    markingLinks: createMarkingLinks({
      publicUrl: config.publicUrl,
      signingKey: new Uint8Array(hkdfSync("sha256", api.signingKey, "", "marking-links", LINK_KEY_BYTES)),
      now: api.now,
    }),
    outgoing: api.outgoing,
    gallery: await openGallery(),
    inspector: api.inspector,
    baker: new PortraitProcess({ logger, niceness: BAKER_NICENESS }),
    writer: modelOf(config.OPENAI_BASE_URL, config.OPENAI_API_KEY, config.OPENAI_MODEL),
    painter: modelOf(config.OPENAI_IMAGES_BASE_URL, config.OPENAI_IMAGES_API_KEY, config.OPENAI_IMAGES_MODEL),
    offeredModels: api.offeredModels,
    billingLinks: api.links,
    pausedModels: config.AVATAR_PAUSED_MODELS,
    publicUrl: config.publicUrl,
    logger,
    now: api.now,
  };
  const runner = createJobRunner({
    pool: api.pool,
    kinds: [makeAgentJob(services), addModelJob(services), bakeSampleJob(services)],
    concurrency: CONCURRENT_JOBS,
    logger,
    onRecovery: () => tidyUp(services),
  });
  return {
    services,
    routes: [
      ...agentRoutes(services),
      ...faceMarkRoutes(services),
      ...markingPageRoutes(services),
      ...modelRoutes(services),
      ...sampleRoutes(services),
      ...fileRoutes(services),
    ],
    background: {
      start: () => runner.start(),
      async close() {
        const stopped = runner.close();
        // A bake that is cut short is begun anew after the restart; waiting for it would only hold the restart up.
        await services.baker.close();
        await stopped;
        for (const model of [services.writer, services.painter]) await model?.endpoint.close();
      },
    },
  };
}

/** Settles what nobody will come back for. */
async function tidyUp(services: AgentServices): Promise<void> {
  await settleOrphans(services);
  await giveUpWaiting(services);
  await purgeDeletedAgents(services);
  await sweepAnswers(services.database, new Date(services.now()));
}

/** What to call a model whose server holds only one. */
const ONLY_MODEL = "default";

function modelOf(baseUrl: string | undefined, apiKey: string | undefined, model = ONLY_MODEL): OpenAiModel | null {
  return baseUrl === undefined ? null : { endpoint: createOpenAiEndpoint({ baseUrl, apiKey }), model };
}
