// Changes the model of an agent that is being created: the charge for `auto` was a guess, and the image shows
// another subject.
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import { findAccount } from "../../accounts/account-store.ts";
import { findChargeSecret, refundCharge } from "../../accounts/credits/ledger.ts";
import type { AgentServices } from "../agent-services.ts";
import { deleteModel } from "../models/agent-model-store.ts";
import { type Agent, withDraft } from "../record/agent.ts";
import { orderModel } from "../record/agent-ledger.ts";
import { findAgentById, updateCreation } from "../record/agent-store.ts";

/** Sets the model, refunds the charge for the guess and charges for the new model, in one transaction. Returns the
 *  updated agent, or null if it was deleted or regenerated. Throws INSUFFICIENT_BALANCE and ACCOUNT_SUSPENDED without
 *  changing anything. */
export function changeCreationModel(
  services: AgentServices,
  { id, revision }: Pick<Agent, "id" | "revision">,
  family: ModelFamily,
): Promise<Agent | null> {
  const at = new Date(services.now());
  return services.database.transaction().execute(async (transaction) => {
    const seen = await findAgentById(transaction, id);
    const account = seen && (await findAccount(transaction, seen.userId, { lock: true }));
    const agent = account && (await findAgentById(transaction, id, { lock: true }));
    if (!agent || agent.deletedAt || agent.revision !== revision) return null;
    const { model: guess, models, isAutoModel } = withDraft(agent);
    if (!isAutoModel) return agent;
    const isDraft = agent.draft !== null;
    const { userId, code: agentCode } = agent;
    const charged = models.find((model) => model.family === guess);
    if (guess !== family) {
      if (!charged) throw new ServiceError("INTERNAL_ERROR", `agent ${agentCode} has no model to change`);
      const { chargeReference } = charged;
      const secretId = await findChargeSecret(transaction, userId, chargeReference);
      await refundCharge(transaction, { userId, chargeReference, at });
      await deleteModel(transaction, { agentId: id, family: guess, isDraft });
      const links = services.billingLinks;
      await orderModel(transaction, { account, secretId, agentId: id, agentCode, family, isDraft, links, at });
    }
    await updateCreation(transaction, agent, { model: family, isAutoModel: false }, at);
    return findAgentById(transaction, id);
  });
}
