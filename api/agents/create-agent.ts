// Making an agent: everything is checked first; then charge, agent and job come into being in one transaction, or none does.
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import { PLAN_LIMITS } from "../accounts/plans.ts";
import type { Tables } from "../database/database.ts";
import type { Agent, AspectRatio, Framing } from "./agent.ts";
import { agentCodeFromKey, isChosenCode, randomAgentCode } from "./agent-code.ts";
import { deleteAgentFiles } from "./agent-files.ts";
import { orderModel } from "./agent-ledger.ts";
import { countPendingModels } from "./agent-model-store.ts";
import { enqueueMakeAgent } from "./agent-queue.ts";
import type { AgentServices } from "./agent-services.ts";
import { countAgents, findAgentByCode, insertAgent, restartAgent, updateAgent } from "./agent-store.ts";
import { findAnswer, type IdempotentRequest, keepAnswer } from "./idempotency.ts";
import { type ApiWarning, chooseCreationModel } from "./model-choice.ts";
import { defaultPrompt, derivePersona, subjectOf } from "./persona.ts";
import { type ReceivedPortrait, receivePortrait } from "./portrait-store.ts";

/** `essence-2` creations of an account that may run at once; a further one fails, uncharged. Source: the contract. */
const MAX_PENDING_ESSENCE_2 = 2;
const CODE_ATTEMPTS = 20;

export interface AgentRequest {
  account: Account;
  prompt?: string;
  /** URL, base64 or data URI. */
  image?: string;
  /** Whether the body named a video at all, in whatever form. */
  hasVideo: boolean;
  agentCode?: string;
  model?: string;
  version?: string;
  aspectRatio: AspectRatio;
  framing: Framing;
}

export interface CreationAnswer {
  success: true;
  message: string;
  agent_id: string;
  status: "processing";
  warnings?: ApiWarning[];
}

export interface Creation {
  answer: CreationAnswer;
  /** True when the answer is that of an earlier request with the same idempotency key. */
  isReplay: boolean;
}

/** Accepts a creation. Throws the contract's refusals, in its order, before anything is charged or stored. */
export async function createAgent(
  services: AgentServices,
  request: AgentRequest,
  idempotency: IdempotentRequest | null,
): Promise<Creation> {
  const now = new Date(services.now());
  if (request.hasVideo) {
    throw new ServiceError("VIDEO_INPUT_NOT_SUPPORTED", "Agents are made from an image; video is not accepted");
  }
  const { family: choice, warnings } = chooseCreationModel(request.model, request.version, now);
  if (idempotency) {
    const kept = await findAnswer(services.database, idempotency, now);
    if (kept !== null) return { answer: kept as CreationAnswer, isReplay: true };
  }
  const plan = PLAN_LIMITS[request.account.plan];
  if (plan.agents === 0) {
    throw new ServiceError("PLAN_REQUIRED", `The ${plan.title} plan does not include agents`, {
      details: { upgrade_url: services.billingLinks.upgradeUrl },
    });
  }
  if (request.agentCode !== undefined) await assertMayUseCode(services, request.account, request.agentCode);
  const received = request.image === undefined ? null : await receivePortrait(services, request.image, choice);
  const family = choice === "auto" ? routeAuto(received, request.prompt ?? "") : choice;
  const superseded = request.agentCode ? await findAgentByCode(services.database, request.agentCode) : null;
  try {
    const creation = await services.database.transaction().execute(async (transaction) => {
      const agent = await placeAgent(transaction, services, request, family, received, idempotency, now);
      const answer: CreationAnswer = {
        success: true,
        message: "Agent creation started. Poll its status until it is ready.",
        agent_id: agent.code,
        status: "processing",
        ...(warnings.length > 0 && { warnings }),
      };
      if (idempotency && !(await keepAnswer(transaction, idempotency, answer, now))) throw new AnsweredMeanwhile();
      return { answer, isReplay: false };
    });
    if (superseded) await deleteAgentFiles(services, superseded);
    return creation;
  } catch (error) {
    if (received && "portrait" in received) await services.storage.delete(received.portrait.key);
    if (!(error instanceof AnsweredMeanwhile) || !idempotency) throw error;
    return { answer: (await findAnswer(services.database, idempotency, now)) as CreationAnswer, isReplay: true };
  }
}

/** A request with the same idempotency key was committed while this one was being checked. */
class AnsweredMeanwhile extends Error {}

async function assertMayUseCode(services: AgentServices, account: Account, code: string): Promise<void> {
  if (!isChosenCode(code)) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      "agent_id must have 3 to 64 letters, digits, - or _, and must not be generate or status",
    );
  }
  const existing = await findAgentByCode(services.database, code);
  if (existing) assertMayRegenerate(existing, account);
}

/** An agent of one's own is made anew in place; anybody else's does not exist as far as the caller can tell. */
function assertMayRegenerate(agent: Agent, account: Account): void {
  if (agent.userId !== account.userId) throw agentNotFound(agent.code);
  if (agent.deletedAt)
    throw new ServiceError("AGENT_DELETED", `Agent ${agent.code} was deleted; choose another agent_id`);
  const isUnfinished = agent.status !== "ready" && agent.status !== "failed";
  if (isUnfinished || agent.models.some(({ state }) => state === "pending")) {
    throw new ServiceError(
      "AGENT_NOT_READY",
      `Agent ${agent.code} is still being made; wait until it is ready or failed`,
    );
  }
}

/** The contract's answer for an unknown agent, and for one that is not the caller's. */
export function agentNotFound(code: string): ServiceError {
  return new ServiceError("NOT_FOUND", `Agent not found for code: ${code}`);
}

/** `auto`: by the picture if there is one, else by the prompt. */
function routeAuto(received: ReceivedPortrait | null, prompt: string): ModelFamily {
  const isPerson = received && "portrait" in received ? received.portrait.isPerson : subjectOf(prompt) === "person";
  return isPerson ? "essence-2" : "expression-2";
}

async function placeAgent(
  transaction: Transaction<Tables>,
  services: AgentServices,
  request: AgentRequest,
  family: ModelFamily,
  received: ReceivedPortrait | null,
  idempotency: IdempotentRequest | null,
  now: Date,
): Promise<Agent> {
  // Creations of one account queue up here, so that two cannot both be the last that the plan allows.
  const account = (await findAccount(transaction, request.account.userId, { lock: true })) ?? request.account;
  const input = (code: string) => {
    const systemPrompt = request.prompt?.trim() || defaultPrompt(code);
    return {
      userId: account.userId,
      code,
      name: derivePersona(systemPrompt).name,
      systemPrompt,
      model: family,
      voiceId: null,
      aspectRatio: request.aspectRatio,
      framing: request.framing,
      imageUrl: received && "retryUrl" in received ? received.retryUrl : null,
      portraitKey: received && "portrait" in received ? received.portrait.key : null,
      createdAt: now,
    };
  };
  const existing = request.agentCode ? await findAgentByCode(transaction, request.agentCode, { lock: true }) : null;
  if (existing) assertMayRegenerate(existing, account);
  if (!existing || existing.status === "failed") await assertRoomForAgent(transaction, services, account);
  const isOverEssence2Limit =
    family === "essence-2" &&
    !PLAN_LIMITS[account.plan].isAdmissionFree &&
    (await countPendingModels(transaction, account.userId, "essence-2")) >= MAX_PENDING_ESSENCE_2;
  const agent = existing
    ? await restartAgent(transaction, existing.id, input(existing.code))
    : await insertUnderFreeCode(transaction, request.agentCode, idempotency, account, input);
  if (isOverEssence2Limit) {
    const errorMessage = `Not started: ${MAX_PENDING_ESSENCE_2} essence-2 agents are being made already. Nothing was charged.`;
    await updateAgent(transaction, agent.id, { status: "failed", errorMessage }, now);
    return agent;
  }
  await orderModel(transaction, {
    account,
    agentId: agent.id,
    agentCode: agent.code,
    family,
    links: services.billingLinks,
    at: now,
  });
  await enqueueMakeAgent(transaction, agent);
  return agent;
}

async function assertRoomForAgent(
  transaction: Transaction<Tables>,
  services: AgentServices,
  account: Account,
): Promise<void> {
  const { agents: limit, title } = PLAN_LIMITS[account.plan];
  if ((await countAgents(transaction, account.userId)) < limit) return;
  const isTopPlan = account.plan === "enterprise" || account.plan === "custom";
  throw new ServiceError("AGENT_LIMIT_REACHED", `The ${title} plan holds at most ${limit} agents`, {
    details: isTopPlan ? {} : { upgrade_url: services.billingLinks.upgradeUrl },
  });
}

/** Inserts under the code the caller chose, or under the first free one of ours. */
async function insertUnderFreeCode(
  transaction: Transaction<Tables>,
  chosenCode: string | undefined,
  idempotency: IdempotentRequest | null,
  account: Account,
  input: (code: string) => Parameters<typeof insertAgent>[1],
): Promise<Agent> {
  if (chosenCode !== undefined) {
    const agent = await insertAgent(transaction, input(chosenCode));
    // Somebody took the code between the check and now; to the caller it is taken all the same.
    if (!agent) throw agentNotFound(chosenCode);
    return agent;
  }
  for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt++) {
    const code = idempotency ? agentCodeFromKey(account.userId, idempotency.key, attempt) : randomAgentCode();
    const agent = await insertAgent(transaction, input(code));
    if (agent) return agent;
  }
  throw new Error("no free agent code found");
}
