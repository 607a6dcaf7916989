// Wires agents into the api: services, routes, background work.

import type { Config } from "../../program/config.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { createOpenAiEndpoint, type OpenAiModel } from "../kernel/outgoing/openai-endpoint.ts";
import { AGENT_FIELDS } from "./agent-fields.ts";
import { agentRoutes } from "./agent-routes.ts";
import type { AgentServices, AttachKnowledge, ListKnowledge } from "./agent-services.ts";
import { creationJob } from "./creation/creation-job.ts";
import { fetchInputsJob } from "./creation/fetch-inputs-job.ts";
import { faceMarkRoutes } from "./marks/face-mark-routes.ts";
import { giveUpWaiting } from "./marks/face-marking.ts";
import { createMarkingLinks } from "./marks/marking-links.ts";
import { markingPageRoutes } from "./marks/marking-page-routes.ts";
import { addModelJob, settleOrphans } from "./models/add-model.ts";
import { modelRoutes } from "./models/model-routes.ts";
import { enqueueRebakes, rebakeJob } from "./models/rebake-job.ts";
import { REBAKE_RESULTS } from "./models/rebake-model.ts";
import { deleteLaterJob, deleteReplacedFiles } from "./models/replaced-files.ts";
import { createPageAgents } from "./page-agents.ts";
import { openGallery } from "./portraits/gallery.ts";
import { type Baker, type Inspector, PortraitProcess } from "./portraits/portrait-process.ts";
import { createPosterLinks } from "./posters/poster-links.ts";
import { posterRoutes } from "./posters/poster-routes.ts";
import { purgeDeletedAgents } from "./purge-agents.ts";
import { restoreWorkingAgents } from "./restore-working-agents.ts";
import { sharingRoutes } from "./sharing/sharing-routes.ts";
import { type VoiceMeter, VoiceProcess } from "./voices/voice-process.ts";

/** Lower priority than running avatar sessions. */
const BAKER_NICENESS = 5;
/** Only jobs wait for the baker, and the number of concurrent jobs is limited. */
const NO_LIMITS = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitingPerAccount: Number.POSITIVE_INFINITY };

export interface AgentsModuleOptions extends Kernel {
  billingLinks: BillingLinks;
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  /** Gives an agent its knowledge bases. */
  attachKnowledge: AttachKnowledge;
  /** Names the knowledge bases of an agent. */
  listKnowledge: ListKnowledge;
  /** Default: a child process of the module. Closed with the module. */
  baker?: Baker;
  /** Default: a portrait process of its own. Closed with the module. */
  inspector?: Inspector;
  /** Default: a voice process of its own. Closed with the module. */
  voices?: VoiceMeter;
}

export interface AgentsModule extends Module {
  services: AgentServices;
}

/** Builds the module; reads the gallery's index. */
export async function createAgentsModule(options: AgentsModuleOptions): Promise<AgentsModule> {
  const logger = options.logger.child({ part: "agents" });
  const { config } = options;
  const services: AgentServices = {
    config,
    database: options.database,
    events: options.events,
    storage: options.storage,
    fileLinks: options.fileLinks,
    markingLinks: createMarkingLinks({
      publicUrl: config.http.publicUrl,
      signingKey: options.signingKey,
      now: options.now,
    }),
    pageAgents: createPageAgents(options),
    posters: createPosterLinks({ ...options, publicUrl: config.http.publicUrl }),
    outgoing: options.outgoing,
    gallery: await openGallery(),
    inspector: options.inspector ?? new PortraitProcess({ logger }),
    voices: options.voices ?? new VoiceProcess({ logger, ffmpegPath: config.rendering.ffmpegPath }),
    baker: options.baker ?? new PortraitProcess({ logger, niceness: BAKER_NICENESS, ...NO_LIMITS }),
    writer: modelOf(config.languageModel),
    painter: modelOf(config.imageModel),
    offeredModels: options.offeredModels,
    billingLinks: options.billingLinks,
    attachKnowledge: options.attachKnowledge,
    listKnowledge: options.listKnowledge,
    pausedModels: config.avatars.pausedModels,
    isRebaking: config.avatars.isRebaking,
    countRebake: options.metrics.counter("avatar_rebakes_total", "Attempts to bake a model again after an upgrade.", {
      name: "result",
      values: REBAKE_RESULTS,
    }),
    publicUrl: config.http.publicUrl,
    logger,
    now: options.now,
  };
  /** As of the last recovery: a scrape must not wait for the database. */
  let rebakesLeft = 0;
  options.metrics.gauge(
    "avatar_rebakes_left",
    "Models that an earlier version made and this one can bake again.",
    async () => rebakesLeft,
  );
  return {
    services,
    routes: [
      ...agentRoutes(services),
      ...faceMarkRoutes(services),
      ...markingPageRoutes(services),
      ...modelRoutes(services),
      ...posterRoutes(services),
      ...sharingRoutes(services),
    ],
    fields: AGENT_FIELDS,
    jobs: [
      fetchInputsJob(services),
      creationJob(services),
      addModelJob(services),
      rebakeJob(services),
      deleteLaterJob(services.storage),
    ],
    loops: [],
    async recover() {
      await settleOrphans(services);
      await giveUpWaiting(services);
      await restoreWorkingAgents(services.database);
      await purgeDeletedAgents(services);
      rebakesLeft = await enqueueRebakes(services);
      await deleteReplacedFiles(services);
    },
    async close() {
      // An interrupted bake is repeated after the restart, so closing does not wait for it.
      await services.baker.close();
      await services.inspector.close();
      await services.voices.close();
      for (const model of [services.writer, services.painter]) await model?.endpoint.close();
    },
  };
}

/** Default name, for servers with one model only. */
const ONLY_MODEL = "default";

function modelOf({ baseUrl, apiKey, model = ONLY_MODEL }: Config["imageModel"]): OpenAiModel | null {
  return baseUrl === undefined ? null : { endpoint: createOpenAiEndpoint({ baseUrl, apiKey }), model };
}
