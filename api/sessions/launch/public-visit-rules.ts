// Rules for sessions of public agents' visitors: the agent is public, and neither it nor the visitor has had its day.
import type { Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import { notShared } from "../../accounts/not-shared.ts";
import type { AgentSharing } from "../../agents/sharing/agent-sharing.ts";
import { holdPublicAgent } from "../../agents/sharing/sharing-store.ts";
import type { Tables } from "../../kernel/database/database.ts";
import { countVisits, hasUsedMinutes, type PublicVisitor } from "../record/public-visits.ts";

const DAY_MS = 86_400_000;

/** The sharing of a public agent, which stays so until the transaction ends. Throws NOT_FOUND for any other agent. */
export async function holdSharing(transaction: Transaction<Tables>, agentCode: string): Promise<AgentSharing> {
  const sharing = await holdPublicAgent(transaction, agentCode);
  if (sharing === null) throw notShared();
  return sharing;
}

export interface PublicVisit {
  agentCode: string;
  visitor: PublicVisitor;
  sharing: AgentSharing;
}

/** Throws RATE_LIMITED if the sessions of the agent's day, or the minutes of the visitor's day, are used up. */
export async function assertMayVisit(
  transaction: Transaction<Tables>,
  { agentCode, visitor, sharing, now }: PublicVisit & { now: Date },
): Promise<void> {
  const refuse = (text: string): never => {
    const retryAfterSeconds = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
    throw new ServiceError("RATE_LIMITED", `${text} Come back tomorrow (UTC).`, { retryAfterSeconds });
  };
  if ((await countVisits(transaction, agentCode, visitor.day)) >= sharing.sessionsPerDay) {
    refuse("This agent has had all its conversations of today.");
  }
  if (await hasUsedMinutes(transaction, agentCode, visitor, sharing.visitorMinutesPerDay)) {
    refuse("You have had all your minutes of today.");
  }
}
