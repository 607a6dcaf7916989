// Charges for an agent's models, and refunds of models that were not made. Every function runs in the caller's
// transaction.
import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import type { Account } from "../../accounts/account.ts";
import type { BillingLinks } from "../../accounts/credits/billing-links.ts";
import { chargeCredits, refundCharge } from "../../accounts/credits/ledger.ts";
import { PRICE_LIST } from "../../accounts/credits/price-list.ts";
import type { Tables } from "../../kernel/database/database.ts";
import { markModelFailed, putPendingModel } from "../models/agent-model-store.ts";
import { type Agent, type AgentModel, type ModelState, withDraft } from "./agent.ts";
import { dropDraft } from "./agent-store.ts";

export interface ModelOrder {
  account: Account;
  agentId: string;
  agentCode: string;
  family: ModelFamily;
  /** The API secret that ordered it; null if that is not known. */
  secretId: string | null;
  /** Whether the model is for the agent's draft. */
  isDraft: boolean;
  links: BillingLinks;
  at: Date;
}

/** Charges for a model and stores it as pending. Returns the credits charged. Throws INSUFFICIENT_BALANCE and
 *  ACCOUNT_SUSPENDED. */
export async function orderModel(transaction: Transaction<Tables>, order: ModelOrder): Promise<number> {
  const credits = PRICE_LIST[order.family].creationCredits;
  const chargeReference = `agent-model:${randomUUID()}`;
  await chargeCredits(transaction, {
    account: order.account,
    amountCredits: credits,
    reason: `agent_generation_${order.family}`,
    reference: chargeReference,
    agentCode: order.agentCode,
    secretId: order.secretId,
    at: order.at,
    links: order.links,
  });
  const { family, isDraft, at: requestedAt } = order;
  await putPendingModel(transaction, order.agentId, { family, isDraft, credits, chargeReference, requestedAt });
  return credits;
}

/** Marks a pending model as failed and refunds it. Does nothing if the model is no longer pending. */
export async function failModel(
  transaction: Transaction<Tables>,
  agent: Agent,
  family: ModelFamily,
  reason: string,
  at: Date,
): Promise<void> {
  for (const model of agent.models.filter((entry) => entry.family === family)) {
    await failAndRefund(transaction, agent, { model, isDraft: false, reason, at }, ["pending"]);
  }
}

/** Marks all models of a creation as failed, refunds them and drops the agent's draft. Models that were finished before
 *  a later one failed are refunded too, because the agent never became ready with them. */
export async function failCreation(
  transaction: Transaction<Tables>,
  agent: Agent,
  reason: string,
  at: Date,
): Promise<void> {
  const isDraft = agent.draft !== null;
  for (const model of withDraft(agent).models) {
    await failAndRefund(transaction, agent, { model, isDraft, reason, at }, ["pending", "ready"]);
  }
  await dropDraft(transaction, agent, reason, at);
}

async function failAndRefund(
  transaction: Transaction<Tables>,
  { id: agentId, userId }: Agent,
  { model, isDraft, reason, at }: { model: AgentModel; isDraft: boolean; reason: string; at: Date },
  states: readonly ModelState[],
): Promise<void> {
  const { family, chargeReference } = model;
  // Only the transaction that moves the row out of these states refunds, so concurrent failures refund once.
  if (!(await markModelFailed(transaction, { agentId, family, isDraft }, reason, states))) return;
  await refundCharge(transaction, { userId, chargeReference, at });
}
