// Writing an accepted creation down: charge, agent and job come into being in one transaction, or none does.
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import { PLAN_LIMITS } from "../accounts/plans/plans.ts";
import type { Tables } from "../kernel/database/database.ts";
import "./agent-events.ts";
import type { Agent, AspectRatio, Framing } from "./agent.ts";
import { agentNotFound } from "./agent-access.ts";
import { agentCodeFromKey, randomAgentCode } from "./agent-code.ts";
import { failModel, orderModel } from "./agent-ledger.ts";
import type { AgentServices } from "./agent-services.ts";
import { countAgents, findAgentByCode, insertAgent, type NewAgent, restartAgent, updateAgent } from "./agent-store.ts";
import { enqueueMakeAgent } from "./making/agent-queue.ts";
import { defaultPrompt, derivePersona } from "./making/persona.ts";
import { countPendingModels } from "./models/agent-model-store.ts";
import type { ReceivedPortrait } from "./portraits/portrait-store.ts";
import type { ReceivedSample } from "./portraits/voice-sample.ts";

/** `essence-2` creations of an account that may run at once; a further one fails, uncharged. Source: the contract. */
const MAX_PENDING_ESSENCE_2 = 2;
const CODE_ATTEMPTS = 20;

export interface AgentOrder {
  account: Account;
  /** Chosen by the caller. */
  agentCode?: string;
  /** Makes the code follow from an idempotency key, where the caller chose none. */
  codeKey?: string;
  /** Empty for one of ours. */
  prompt: string;
  family: ModelFamily;
  aspectRatio: AspectRatio;
  framing: Framing;
  transparency: boolean;
  received: ReceivedPortrait | null;
  voice: ReceivedSample | null;
  /** The agent that the code had before, as it was when the request was checked. */
  superseded: Agent | null;
  now: Date;
}

/** Places an order. Throws INSUFFICIENT_BALANCE, ACCOUNT_SUSPENDED, AGENT_LIMIT_REACHED, and as `assertMayRegenerate` where somebody was
 *  quicker. An `essence-2` over the limit is written down as failed, and nothing is charged. */
export async function placeAgent(
  transaction: Transaction<Tables>,
  services: AgentServices,
  order: AgentOrder,
): Promise<Agent> {
  const { family, now } = order;
  // Creations of one account queue up here, so that two cannot both be the last that the plan allows.
  const account = (await findAccount(transaction, order.account.userId, { lock: true })) ?? order.account;
  const existing = order.agentCode ? await findAgentByCode(transaction, order.agentCode, { lock: true }) : null;
  if (existing) assertMayRegenerate(existing, account);
  if (!existing || existing.status === "failed") await assertRoomForAgent(transaction, services, account);
  const isOverLimit = await isOverEssence2Limit(transaction, account, family);
  const agent = existing
    ? await remakeAgent(transaction, existing, toNewAgent(order, existing.code), now)
    : await insertUnderFreeCode(transaction, order);
  if (isOverLimit) return failUncharged(transaction, services, agent, now);
  const links = services.billingLinks;
  await orderModel(transaction, { account, agentId: agent.id, agentCode: agent.code, family, links, at: now });
  await enqueueMakeAgent(transaction, agent);
  return agent;
}

/** An agent of one's own is made anew in place, also while it waits for marks; anybody else's does not exist as far as the caller can
 *  tell. Throws NOT_FOUND, AGENT_DELETED, AGENT_NOT_READY. */
export function assertMayRegenerate(agent: Agent, account: Account): void {
  if (agent.userId !== account.userId) throw agentNotFound(agent.code);
  if (agent.deletedAt)
    throw new ServiceError("AGENT_DELETED", `Agent ${agent.code} was deleted; choose another agent_id`);
  if (agent.waitingSince) return;
  const isUnfinished = agent.status !== "ready" && agent.status !== "failed";
  if (isUnfinished || agent.models.some(({ state }) => state === "pending")) {
    throw new ServiceError(
      "AGENT_NOT_READY",
      `Agent ${agent.code} is still being made; wait until it is ready or failed`,
    );
  }
}

function toNewAgent({ received, voice, family, ...order }: AgentOrder, code: string): NewAgent {
  const prompt = order.prompt || defaultPrompt(code);
  const portrait = received && "portrait" in received ? received.portrait : null;
  return {
    userId: order.account.userId,
    code,
    name: derivePersona(prompt).name,
    prompt,
    systemPrompt: prompt,
    model: family,
    aspectRatio: order.aspectRatio,
    framing: order.framing,
    transparency: order.transparency,
    imageUrl: received && "retryUrl" in received ? received.retryUrl : null,
    portraitKey: portrait?.key ?? null,
    portraitSize: portrait?.size ?? null,
    voiceSampleUrl: voice && "retryUrl" in voice ? voice.retryUrl : null,
    voicePitchHz: voice && "pitchHz" in voice ? voice.pitchHz : null,
    createdAt: order.now,
  };
}

/** Starts an agent over. What was paid for and never made, because its face was not marked, is given back. */
async function remakeAgent(
  transaction: Transaction<Tables>,
  existing: Agent,
  input: NewAgent,
  now: Date,
): Promise<Agent> {
  for (const { family } of existing.models) await failModel(transaction, existing, family, "Made anew", now);
  return restartAgent(transaction, existing.id, input);
}

async function isOverEssence2Limit(
  transaction: Transaction<Tables>,
  account: Account,
  family: ModelFamily,
): Promise<boolean> {
  if (family !== "essence-2" || PLAN_LIMITS[account.plan].isAdmissionFree) return false;
  return (await countPendingModels(transaction, account.userId, "essence-2")) >= MAX_PENDING_ESSENCE_2;
}

async function failUncharged(
  transaction: Transaction<Tables>,
  { events }: AgentServices,
  agent: Agent,
  now: Date,
): Promise<Agent> {
  const errorMessage = `Not started: ${MAX_PENDING_ESSENCE_2} essence-2 agents are being made already. Nothing was charged.`;
  const patch = { status: "failed", errorMessage, progressMessage: "Failed", eventType: "agent_failed" } as const;
  await updateAgent(transaction, agent.id, patch, now);
  const { userId, code: agentCode } = agent;
  await events.publish(transaction, "agent.failed", { userId, agentCode, error: errorMessage, at: now });
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
async function insertUnderFreeCode(transaction: Transaction<Tables>, order: AgentOrder): Promise<Agent> {
  const { agentCode, codeKey, account } = order;
  if (agentCode !== undefined) {
    const agent = await insertAgent(transaction, toNewAgent(order, agentCode));
    // Somebody took the code between the check and now; to the caller it is taken all the same.
    if (!agent) throw agentNotFound(agentCode);
    return agent;
  }
  for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt++) {
    const code = codeKey === undefined ? randomAgentCode() : agentCodeFromKey(account.userId, codeKey, attempt);
    const agent = await insertAgent(transaction, toNewAgent(order, code));
    if (agent) return agent;
  }
  throw new Error("no free agent code found");
}
