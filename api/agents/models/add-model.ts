// Adds a model to an agent that is ready: the request and its job.
import { ServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";
import type { Account } from "../../accounts/account.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import type { AgentServices } from "../agent-services.ts";
import { ADD_AGENT_MODEL, addModelPayloadSchema, enqueueAddModel } from "../creation/agent-queue.ts";
import { failAgent, lostJobError, mayRetry, reasonOf } from "../creation/creation-job.ts";
import type { Gender } from "../creation/persona.ts";
import { assertPortraitSuits } from "../portraits/portrait-store.ts";
import { type Agent, isBeingCreated, supportedModels } from "../record/agent.ts";
import { failModel, orderModel } from "../record/agent-ledger.ts";
import { findAgentById, updateAgent } from "../record/agent-store.ts";
import { chooseVoice } from "../voices/choose-voice.ts";
import { findOrphanedModels, markModelReady } from "./agent-model-store.ts";
import { bakeModel, findBakeSource } from "./bake-model.ts";
import { assertNotPaused } from "./model-availability.ts";

/** Per process, and of one account. */
const CONCURRENT_JOBS = 2;
const PER_ACCOUNT = 1;

export interface ModelAddition {
  status: "processing" | "ready";
  /** Charged by this request; 0 if the model is instant or was ordered before. */
  credits: number;
  supportedModels: ModelFamily[];
}

export interface ModelOrder {
  account: Account;
  /** The API secret that orders it; null if that is not known. */
  secretId: string | null;
  agent: Agent;
  family: ModelFamily;
  /** Fires if the client disconnects; the portrait is then not checked. */
  signal?: AbortSignal;
}

/** Adds a model. A repeated call changes and charges nothing. Throws AGENT_NOT_READY, MODEL_PREREQUISITE_MISSING, the
 *  subject errors of the portrait, SERVICE_UNAVAILABLE if it cannot be checked now, and the errors of charging. */
export async function addModel(
  services: AgentServices,
  { account, secretId, agent: ordered, family, signal }: ModelOrder,
): Promise<ModelAddition> {
  assertReadyForModels(ordered, family);
  const agent = await giveVoice(services, ordered);
  const settled = outcomeWithoutCharge(agent, family, services.offeredModels);
  if (settled) return settled;
  assertNotPaused(family, services.pausedModels);
  if (agent.portraitKey && !agent.galleryId) {
    await assertPortraitSuits(services, agent.portraitKey, family, { userId: agent.userId, signal });
  }
  if (agent.galleryId && MODEL_CATALOGUE[family].humanOnly && agent.subject !== "person") {
    throw new ServiceError(
      "MODEL_SUBJECT_MISMATCH",
      `${family} needs a portrait of a person. Use expression-2 for any other character.`,
    );
  }
  return services.database.transaction().execute(async (transaction) => {
    const current = await findAgentById(transaction, agent.id, { lock: true });
    if (!current) throw new ServiceError("NOT_FOUND", `Agent not found for code: ${agent.code}`);
    assertReadyForModels(current, family);
    const meanwhile = outcomeWithoutCharge(current, family, services.offeredModels);
    if (meanwhile) return meanwhile;
    const credits = await orderModel(transaction, {
      account,
      agentId: current.id,
      agentCode: current.code,
      family,
      secretId,
      isDraft: false,
      links: services.billingLinks,
      at: new Date(services.now()),
    });
    await enqueueAddModel(transaction, current, family);
    return { status: "processing", credits, supportedModels: supportedModels(current, services.offeredModels) };
  });
}

/** The job kind. The agent stays `ready`, even if the added model fails. */
export function addModelJob(services: AgentServices): JobKind {
  return {
    name: ADD_AGENT_MODEL,
    concurrency: CONCURRENT_JOBS,
    perOwner: PER_ACCOUNT,
    async run(payload, context) {
      const { agentId, revision, family } = addModelPayloadSchema.parse(payload);
      const agent = await findAgentById(services.database, agentId);
      if (!agent || agent.deletedAt || agent.revision !== revision) return;
      if (agent.models.find((model) => model.family === family)?.state !== "pending") return;
      try {
        const source = await findBakeSource(services, agent);
        if (!("points" in source)) throw new ServiceError("IMAGE_FACE_UNSUITABLE", source.reason);
        const { note: _, ...artifact } = await bakeModel(services, agent, family, source);
        await markModelReady(
          services.database,
          { agentId, family, isDraft: false },
          artifact,
          new Date(services.now()),
        );
      } catch (error) {
        if (mayRetry(error, context)) throw error;
        services.logger.warn({ err: error, agentCode: agent.code, family }, "model creation failed");
        await settleFailedModel(services, agentId, revision, family, `Failed at lip sync: ${reasonOf(error)}`);
      }
    },
  };
}

/** Fails models that have lost their job, with refunds. For the job runner's recovery. */
export async function settleOrphans(services: AgentServices): Promise<void> {
  for (const { agentId, revision, family } of await findOrphanedModels(services.database)) {
    const agent = await findAgentById(services.database, agentId);
    const reason = lostJobError().message;
    if (agent && isBeingCreated(agent)) await failAgent(services, agentId, revision, agent.currentStep, reason);
    else await settleFailedModel(services, agentId, revision, family, `Failed at lip sync: ${reason}`);
  }
}

async function settleFailedModel(
  services: AgentServices,
  agentId: string,
  revision: number,
  family: ModelFamily,
  reason: string,
): Promise<void> {
  await services.database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, agentId, { lock: true });
    if (!agent || agent.revision !== revision) return;
    await failModel(transaction, agent, family, reason, new Date(services.now()));
  });
}

/** The agent with a voice: expression-1 needs one, and it can be chosen at any time. */
async function giveVoice({ database, now }: AgentServices, agent: Agent): Promise<Agent> {
  if (agent.voiceId !== null) return agent;
  const { prompt, gender, voiceCharacter: character } = agent;
  const voiceId = chooseVoice({ prompt, gender: gender as Gender, character });
  await updateAgent(database, agent.id, { voiceId }, new Date(now()));
  return { ...agent, voiceId };
}

function assertReadyForModels(agent: Agent, family: ModelFamily): void {
  if (agent.status !== "ready") {
    throw new ServiceError(
      "AGENT_NOT_READY",
      `Agent ${agent.code} has the status ${agent.status}. A model can be added only when the status is ready.`,
    );
  }
  if (!agent.portraitKey) {
    throw new ServiceError(
      "MODEL_PREREQUISITE_MISSING",
      `${family} needs a face image, which agent ${agent.code} lacks. Create it again with an image.`,
    );
  }
}

/** The answer if no charge is due: the model exists, is being made, or needs no file. */
function outcomeWithoutCharge(
  agent: Agent,
  family: ModelFamily,
  offered: readonly ModelFamily[],
): ModelAddition | null {
  const supported = supportedModels(agent, offered);
  if (supported.includes(family)) return { status: "ready", credits: 0, supportedModels: supported };
  const isPending = agent.models.some((model) => model.family === family && model.state === "pending");
  return isPending ? { status: "processing", credits: 0, supportedModels: supported } : null;
}
