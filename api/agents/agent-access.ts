// Which agents a caller may see: its own.
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import type { Queryable } from "../kernel/database/database.ts";
import type { Agent } from "./record/agent.ts";
import { findAgentByCode } from "./record/agent-store.ts";

/** The caller's agent. Throws NOT_FOUND if it is missing, deleted or another account's, in the same words. */
export async function requireOwnAgent(database: Queryable, account: Account, code: string): Promise<Agent> {
  const agent = await findAgentByCode(database, code);
  if (agent && agent.userId === account.userId && agent.deletedAt === null) return agent;
  throw agentNotFound(code);
}

/** Throws AGENT_PURGED for a deleted agent with erased files, AGENT_DELETED for another deleted one. */
export function assertNotDeleted({ code, deletedAt, purgedAt }: Agent): void {
  if (purgedAt) throw new ServiceError("AGENT_PURGED", `Agent ${code} was deleted, and its files were erased`);
  if (deletedAt) throw new ServiceError("AGENT_DELETED", `Agent ${code} was deleted`);
}

/** The contract's answer for an agent that the caller may not see. */
export function agentNotFound(code: string): ServiceError {
  return new ServiceError("NOT_FOUND", `Agent not found for code: ${code.slice(0, 100)}`);
}
