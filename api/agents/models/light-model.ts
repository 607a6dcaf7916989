// The light form of essence-2, which is included in it at no charge. Its file is baked at its first download; until
// then its sessions are rendered from the file of essence-2.

import type { ModelFamily } from "../../../shared/models.ts";
import type { Database } from "../../kernel/database/database.ts";
import { enqueueAddModel } from "../creation/agent-queue.ts";
import { type Agent, generatedModels } from "../record/agent.ts";
import { findAgentById } from "../record/agent-store.ts";
import { freeChargeReference, putPendingModel } from "./agent-model-store.ts";

const LIGHT: ModelFamily = "essence-2-light";

/** True if the family is the light form and its file has not been baked yet. */
export function needsLightModel(agent: Agent, family: ModelFamily): boolean {
  if (family !== LIGHT || agent.deletedAt || !generatedModels(agent).includes("essence-2")) return false;
  const state = agent.models.find((model) => model.family === LIGHT)?.state;
  return state === undefined || state === "failed";
}

/** Queues the bake of the light form. Repeated calls queue it once. */
export async function orderLightModel(database: Database, agent: Agent, now: Date): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const current = await findAgentById(transaction, agent.id, { lock: true });
    if (!current || !needsLightModel(current, LIGHT)) return;
    await putPendingModel(transaction, current.id, {
      family: LIGHT,
      isDraft: false,
      credits: 0,
      chargeReference: freeChargeReference(current.id, LIGHT),
      requestedAt: now,
    });
    await enqueueAddModel(transaction, current, LIGHT);
  });
}
