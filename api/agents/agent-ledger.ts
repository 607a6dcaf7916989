// Paying for an agent's models, and giving back what was not delivered. Every function runs in the caller's transaction.
import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { chargeCredits, refundCharge } from "../accounts/credits/ledger.ts";
import { PRICE_LIST } from "../accounts/credits/price-list.ts";
import type { Tables } from "../kernel/database/database.ts";
import { type Agent, type AgentModel, inTheMaking, type ModelState } from "./agent.ts";
import { dropDraft } from "./agent-store.ts";
import { markModelFailed, putPendingModel } from "./models/agent-model-store.ts";

export interface ModelOrder {
  account: Account;
  agentId: string;
  agentCode: string;
  family: ModelFamily;
  /** Whether the model is for the agent's draft. */
  isDraft: boolean;
  links: BillingLinks;
  at: Date;
}

/** Charges for a model and notes it as pending. Returns the credits charged. Throws INSUFFICIENT_BALANCE, ACCOUNT_SUSPENDED. */
export async function orderModel(transaction: Transaction<Tables>, order: ModelOrder): Promise<number> {
  const credits = PRICE_LIST[order.family].creationCredits;
  const chargeReference = `agent-model:${randomUUID()}`;
  await chargeCredits(transaction, {
    account: order.account,
    amountCredits: credits,
    reason: `agent_generation_${order.family}`,
    reference: chargeReference,
    agentCode: order.agentCode,
    at: order.at,
    links: order.links,
  });
  const { family, isDraft, at: requestedAt } = order;
  await putPendingModel(transaction, order.agentId, { family, isDraft, credits, chargeReference, requestedAt });
  return credits;
}

/** Marks a pending model as failed and refunds it. Does nothing for a model that is settled already. */
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

/** Marks all that a making was to produce as failed, refunds it, and drops the agent's draft. What was finished before a later model
 *  failed is refunded too: the agent never became ready with it. */
export async function failMaking(
  transaction: Transaction<Tables>,
  agent: Agent,
  reason: string,
  at: Date,
): Promise<void> {
  const isDraft = agent.draft !== null;
  for (const model of inTheMaking(agent).models) {
    await failAndRefund(transaction, agent, { model, isDraft, reason, at }, ["pending", "ready"]);
  }
  await dropDraft(transaction, agent);
}

async function failAndRefund(
  transaction: Transaction<Tables>,
  { id: agentId, userId }: Agent,
  { model, isDraft, reason, at }: { model: AgentModel; isDraft: boolean; reason: string; at: Date },
  states: readonly ModelState[],
): Promise<void> {
  const { family, chargeReference } = model;
  // Only the one who moves the row out of these states refunds, so that two who see the same failure refund once.
  if (!(await markModelFailed(transaction, { agentId, family, isDraft }, reason, states))) return;
  await refundCharge(transaction, { userId, chargeReference, at });
}
