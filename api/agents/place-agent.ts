// Writes an accepted creation: charge, agent and job, in one transaction.
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import type { Manner } from "../../shared/manners.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import { PLAN_LIMITS } from "../accounts/plans/plans.ts";
import type { Tables } from "../kernel/database/database.ts";
import { agentNotFound } from "./agent-access.ts";
import type { AgentServices } from "./agent-services.ts";
import { enqueueCreation } from "./creation/agent-queue.ts";
import { defaultPrompt, derivePersona } from "./creation/persona.ts";
import { endFailedCreation } from "./end-failed-creation.ts";
import { countPendingModels, noteFailedModel } from "./models/agent-model-store.ts";
import type { ReceivedPortrait } from "./portraits/portrait-store.ts";
import { type Agent, type AspectRatio, type Framing, generatedModels, isBeingCreated } from "./record/agent.ts";
import { agentCodeFromKey, randomAgentCode } from "./record/agent-code.ts";
import { draftFileKeys, keysOf } from "./record/agent-files.ts";
import { failCreation, orderModel } from "./record/agent-ledger.ts";
import {
  countAgents,
  findAgentByCode,
  insertAgent,
  type NewAgent,
  restartAgent,
  updateAgent,
} from "./record/agent-store.ts";
import type { ReceivedSample } from "./voices/voice-sample.ts";

/** Largest number of pending `essence-2` creations of an account, on every plan. A further one fails and is not
 *  charged. Source: the contract. */
const MAX_PENDING_ESSENCE_2 = 2;
const CODE_ATTEMPTS = 20;

export interface AgentOrder {
  account: Account;
  /** The API secret that orders it; null if that is not known. */
  secretId: string | null;
  /** Chosen by the caller. */
  agentCode?: string;
  /** Derives the code from an idempotency key, if the caller chose none. */
  codeKey?: string;
  /** Empty for a default prompt. */
  prompt: string;
  /** Chosen by the caller; empty for none. */
  name?: string;
  /** Chosen by the caller. */
  voiceId?: string;
  family: ModelFamily;
  /** The family is a guess; the job decides when it has inspected the image. */
  isAutoModel: boolean;
  aspectRatio: AspectRatio;
  framing: Framing;
  transparency: boolean;
  /** Of its face. Absent: unchanged. */
  emotion?: string;
  manner?: Manner;
  received: ReceivedPortrait | null;
  voice: ReceivedSample | null;
  now: Date;
}

export interface PlacedOrder {
  agent: Agent;
  /** Objects to delete after the commit, because they are no longer referred to. */
  unusedFiles: string[];
}

/** Places an order. A regenerated agent keeps its content until the new one is complete. Throws INSUFFICIENT_BALANCE,
 *  ACCOUNT_SUSPENDED, AGENT_LIMIT_REACHED, and the errors of `assertMayRegenerate` if a concurrent request came first.
 *  An `essence-2` over the limit is not charged: an agent with a working model goes on as before, any other fails. */
export async function placeAgent(
  transaction: Transaction<Tables>,
  services: AgentServices,
  order: AgentOrder,
): Promise<PlacedOrder> {
  const { family, secretId, now } = order;
  // Locks the account, so that concurrent creations cannot both be the last that the plan allows.
  const account = (await findAccount(transaction, order.account.userId, { lock: true })) ?? order.account;
  const existing = order.agentCode ? await findAgentByCode(transaction, order.agentCode, { lock: true }) : null;
  if (existing) assertMayRegenerate(existing, account);
  const isCounted = existing && (existing.status !== "failed" || generatedModels(existing).length > 0);
  if (!isCounted) await assertRoomForAgent(transaction, services, account);
  const isRefused = await isOverEssence2Limit(transaction, { userId: account.userId, agent: existing, family });
  // Refunds models that were paid for and never made, because the face was not marked.
  if (existing && isBeingCreated(existing)) await failCreation(transaction, existing, "Made anew", now);
  const superseded = existing ? draftFileKeys(existing) : [];
  if (isRefused) {
    const agent = existing ?? (await insertUnderFreeCode(transaction, order));
    await refuseUncharged(transaction, services, { agent, family, at: now });
    return { agent, unusedFiles: existing ? [...superseded, ...receivedKeys(order)] : [] };
  }
  const { agent, unusedFiles } = existing
    ? await regenerateAgent(transaction, existing, order)
    : { agent: await insertUnderFreeCode(transaction, order), unusedFiles: [] };
  const { emotion, manner } = order;
  if (emotion !== undefined || manner !== undefined) {
    await updateAgent(transaction, agent.id, { emotion, manner }, now);
  }
  const isDraft = agent.draft !== null;
  const links = services.billingLinks;
  const { id: agentId, code: agentCode } = agent;
  await orderModel(transaction, { account, secretId, agentId, agentCode, family, isDraft, links, at: now });
  await enqueueCreation(transaction, agent);
  return { agent, unusedFiles: [...superseded, ...unusedFiles] };
}

/** Throws unless the account may regenerate the agent: it must be its own and have no model in creation, unless it
 *  waits for face marks. Throws NOT_FOUND (also for an agent of another account), AGENT_DELETED, AGENT_NOT_READY. */
export function assertMayRegenerate(agent: Agent, account: Account): void {
  if (agent.userId !== account.userId) throw agentNotFound(agent.code);
  if (agent.deletedAt)
    throw new ServiceError("AGENT_DELETED", `Agent ${agent.code} was deleted. Choose another agent_id.`);
  if (agent.waitingSince) return;
  const isUnfinished = agent.status !== "ready" && agent.status !== "failed";
  if (isUnfinished || agent.models.some(({ state }) => state === "pending")) {
    throw new ServiceError(
      "AGENT_NOT_READY",
      `Agent ${agent.code} is still being generated. Try again when its status is ready or failed.`,
    );
  }
}

function toNewAgent({ received, voice, family, ...order }: AgentOrder, code: string): NewAgent {
  const prompt = order.prompt || defaultPrompt(code, order.name);
  const portrait = received && "portrait" in received ? received.portrait : null;
  return {
    userId: order.account.userId,
    code,
    name: order.name ?? derivePersona(prompt).name,
    isNamed: order.name !== undefined,
    voiceId: order.voiceId ?? null,
    prompt,
    systemPrompt: prompt,
    model: family,
    isAutoModel: order.isAutoModel,
    aspectRatio: order.aspectRatio,
    framing: order.framing,
    transparency: order.transparency,
    imageUrl: received && "retryUrl" in received ? received.retryUrl : null,
    imageKey: received && "rawKey" in received ? received.rawKey : null,
    portraitKey: portrait?.key ?? null,
    portraitSize: portrait?.size ?? null,
    voiceSampleUrl: voice && "retryUrl" in voice ? voice.retryUrl : null,
    voiceSampleKey: voice && "rawKey" in voice ? voice.rawKey : null,
    voiceCharacter: voice && "character" in voice ? voice.character : null,
    createdAt: order.now,
  };
}

/** Starts an agent over: in a draft if it has a working model, else in place. */
async function regenerateAgent(
  transaction: Transaction<Tables>,
  existing: Agent,
  order: AgentOrder,
): Promise<{ agent: Agent; unusedFiles: string[] }> {
  const isDraft = generatedModels(existing).length > 0;
  const agent = await restartAgent(transaction, existing.id, { isDraft, input: toNewAgent(order, existing.code) });
  return { agent, unusedFiles: isDraft ? [] : keysOf(existing) };
}

async function isOverEssence2Limit(
  transaction: Transaction<Tables>,
  { userId, agent, family }: { userId: string; agent: Agent | null; family: ModelFamily },
): Promise<boolean> {
  if (family !== "essence-2") return false;
  const account = { userId, exceptAgentId: agent?.id ?? null };
  return (await countPendingModels(transaction, account, family)) >= MAX_PENDING_ESSENCE_2;
}

async function refuseUncharged(
  transaction: Transaction<Tables>,
  services: AgentServices,
  { agent, family, at }: { agent: Agent; family: ModelFamily; at: Date },
): Promise<void> {
  const reason = `Not started: ${MAX_PENDING_ESSENCE_2} essence-2 agents are being made already. Nothing was charged.`;
  if (generatedModels(agent).length > 0) await noteFailedModel(transaction, { agent, family, reason, at });
  await endFailedCreation(transaction, services.events, { agentId: agent.id, reason, at });
}

/** Objects that were stored for a request. */
export function receivedKeys({ received, voice }: Pick<AgentOrder, "received" | "voice">): string[] {
  const keys: string[] = [];
  if (received && "portrait" in received) keys.push(received.portrait.key);
  for (const input of [received, voice]) if (input && "rawKey" in input) keys.push(input.rawKey);
  return keys;
}

async function assertRoomForAgent(
  transaction: Transaction<Tables>,
  services: AgentServices,
  account: Account,
): Promise<void> {
  const { agents: limit, title } = PLAN_LIMITS[account.plan];
  if ((await countAgents(transaction, account.userId)) < limit) return;
  const isTopPlan = account.plan === "enterprise" || account.plan === "custom";
  throw new ServiceError(
    "AGENT_LIMIT_REACHED",
    `The ${title} plan allows at most ${limit} agents. Delete an agent first${isTopPlan ? "" : ", or upgrade"}.`,
    {
      details: isTopPlan ? {} : { upgrade_url: services.billingLinks.upgradeUrl },
    },
  );
}

/** Inserts under the chosen code, or under the first free generated one. */
async function insertUnderFreeCode(transaction: Transaction<Tables>, order: AgentOrder): Promise<Agent> {
  const { agentCode, codeKey, account } = order;
  if (agentCode !== undefined) {
    const agent = await insertAgent(transaction, toNewAgent(order, agentCode));
    // Another account took the code after the check.
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
