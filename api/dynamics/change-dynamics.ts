// Changes an agent's gesture configuration, and makes its gestures anew.
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import { agentNotFound } from "../agents/agent-access.ts";
import { findAgentById, updateAgent } from "../agents/record/agent-store.ts";
import { hasGestures, isInProgress } from "./dynamics.ts";
import { enqueueRun } from "./dynamics-job.ts";
import type { DynamicsServices } from "./dynamics-services.ts";
import { findDynamics, startRun } from "./dynamics-store.ts";
import { identify, requireAgent } from "./order-dynamics.ts";

/** Largest configuration, characters of JSON. */
const MAX_CONFIGURATION = 16_384;

export interface DynamicsChange {
  account: Account;
  agentCode: string;
  /** Merged into the configuration. */
  fields: Record<string, unknown>;
  /** Switches the agent's own gestures on or off; null leaves it to the fields. */
  isEnabled: boolean | null;
}

export interface ChangeAnswer {
  success: true;
  message: string;
  agent_id: string;
  regeneration_status: "started" | "failed";
  regeneration_error?: string;
}

/** Changes the configuration, and starts a run that varies the gestures, free of charge. Throws NOT_FOUND,
 *  AGENT_DELETED, AGENT_PURGED, and VALIDATION_ERROR for a configuration that is too large. */
export async function changeDynamics(services: DynamicsServices, change: DynamicsChange): Promise<ChangeAnswer> {
  const { account, agentCode, fields, isEnabled } = change;
  const at = new Date(services.now());
  const { id } = await requireAgent(services.database, account, agentCode);
  return services.database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, id, { lock: true });
    if (!agent || agent.deletedAt) throw agentNotFound(agentCode);
    const dynamics = { ...agent.dynamics, ...fields, ...(isEnabled !== null && { enabled: isEnabled }) };
    if (JSON.stringify(dynamics).length > MAX_CONFIGURATION) {
      throw new ServiceError("VALIDATION_ERROR", `dynamics has more than ${MAX_CONFIGURATION} characters as JSON`);
    }
    await updateAgent(transaction, id, { dynamics }, at);
    const made = await findDynamics(transaction, id, { lock: true });
    const base = { success: true, message: "The dynamics were updated.", agent_id: agent.code } as const;
    if (made && isInProgress(made)) return { ...base, regeneration_status: "started" };
    if (!hasGestures(made, agent)) {
      return {
        ...base,
        regeneration_status: "failed",
        regeneration_error: "This agent has no gestures yet. Generate them with POST /v1/dynamics/generate.",
      };
    }
    const run = made.run + 1;
    const seconds = made.madeSeconds ?? made.seconds;
    await startRun(transaction, { ...identify(agent), run, isCharged: false, seconds, updatedAt: at });
    await enqueueRun(transaction, { agentId: id, run });
    return { ...base, regeneration_status: "started" };
  });
}
