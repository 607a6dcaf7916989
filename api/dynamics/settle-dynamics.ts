// Ends of runs: the gestures are in use, or could not be made. Each settles the charge and tells the owner, once.
import { GESTURE_NAMES } from "../../shared/gesture-names.ts";
import { refundCharge } from "../accounts/credits/ledger.ts";
import { exchangeArtifact } from "../agents/models/exchange-artifact.ts";
import { deleteLater } from "../agents/models/replaced-files.ts";
import { findAgentById, updateAgent } from "../agents/record/agent-store.ts";
import type { StoredObject } from "../kernel/storage/object-storage.ts";
import { chargeReference, clipKey, type Dynamics, isInProgress, type OwnModel } from "./dynamics.ts";
import type { DynamicsServices } from "./dynamics-services.ts";
import { endRun, findDynamics, listOrphanedRuns } from "./dynamics-store.ts";
import "./dynamics-events.ts";

const INTERRUPTED = "The generation was interrupted too often. Try again.";
/** The message for an agent with another face by now. */
export const MADE_ANEW = "The agent was made anew meanwhile. Generate its gestures again.";

/** A model of the agent got another file while its gestures were made: another attempt is needed. */
class ModelChangedError extends Error {}

/** What a run has made: each model's file, which replaces an earlier one. */
export interface MadeModel extends OwnModel {
  made: StoredObject;
}

/** Puts the gestures into use: all models get their files, in one transaction with the end of the run. Returns false,
 *  and changes nothing, if the run has ended. Throws ModelChangedError. */
export async function completeRun(
  services: DynamicsServices,
  { agentId, run }: Pick<Dynamics, "agentId" | "run">,
  models: readonly MadeModel[],
): Promise<boolean> {
  const at = new Date(services.now());
  const actions = [...GESTURE_NAMES];
  const isCompleted = await services.database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, agentId, { lock: true });
    const dynamics = await findDynamics(transaction, agentId, { lock: true });
    if (!agent || agent.deletedAt || !dynamics || dynamics.run !== run || !isInProgress(dynamics)) return false;
    if (agent.revision !== dynamics.revision) throw new ModelChangedError(MADE_ANEW);
    for (const { family, key, made } of models) {
      const isExchanged = await exchangeArtifact(transaction, { agentId, family, key }, made, at);
      if (!isExchanged) throw new ModelChangedError(`${family} has another file by now`);
    }
    const { madeRun, userId, agentCode } = dynamics;
    if (madeRun !== null) {
      await deleteLater(
        transaction,
        dynamics.actions.map((action) => clipKey(agentId, madeRun, action)),
      );
    }
    await endRun(transaction, dynamics, { status: "ready", actions }, at);
    await updateAgent(transaction, agentId, { dynamics: { enabled: true, ...agent.dynamics } }, at);
    await services.events.publish(transaction, "dynamics.ready", { userId, agentCode, actions, at });
    return true;
  });
  if (isCompleted) services.countRun("ready");
  return isCompleted;
}

/** Fails a run with a full refund. Does nothing if it has ended. The caller deletes its files. */
export async function failRun(
  services: DynamicsServices,
  { agentId, run }: Pick<Dynamics, "agentId" | "run">,
  errorMessage: string,
): Promise<void> {
  const { database, events } = services;
  const at = new Date(services.now());
  const isFailed = await database.transaction().execute(async (transaction) => {
    const dynamics = await findDynamics(transaction, agentId, { lock: true });
    if (!dynamics || dynamics.run !== run || !isInProgress(dynamics)) return false;
    const { userId, agentCode } = dynamics;
    await endRun(transaction, dynamics, { status: "failed", errorMessage }, at);
    if (dynamics.isCharged) {
      await refundCharge(transaction, { userId, chargeReference: chargeReference(dynamics), at });
    }
    await events.publish(transaction, "dynamics.failed", { userId, agentCode, error: errorMessage, at });
    return true;
  });
  if (isFailed) services.countRun("failed");
}

/** Fails runs that have lost their job. For the job runner's recovery. */
export async function failOrphanedRuns(services: DynamicsServices): Promise<void> {
  for (const orphan of await listOrphanedRuns(services.database)) await failRun(services, orphan, INTERRUPTED);
}
