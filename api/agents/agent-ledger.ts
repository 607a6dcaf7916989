// Paying for an agent's models, and giving back what was not delivered. Every function runs in the caller's transaction.
import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { chargeCredits, refundCharge } from "../accounts/credits/ledger.ts";
import { PRICE_LIST } from "../accounts/credits/price-list.ts";
import type { Tables } from "../kernel/database/database.ts";
import type { Agent } from "./agent.ts";
import { markModelFailed, putPendingModel } from "./models/agent-model-store.ts";

export interface ModelOrder {
  account: Account;
  agentId: string;
  agentCode: string;
  family: ModelFamily;
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
  const { family, at: requestedAt } = order;
  await putPendingModel(transaction, order.agentId, { family, credits, chargeReference, requestedAt });
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
  const model = agent.models.find((entry) => entry.family === family);
  // Only who moves the row out of `pending` refunds, so that two who see the same failure refund once.
  if (!model || !(await markModelFailed(transaction, agent.id, family, reason))) return;
  await refundCharge(transaction, { userId: agent.userId, chargeReference: model.chargeReference, at });
}
