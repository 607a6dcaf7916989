// Bakes a model of an agent again, with this version's generator, and exchanges its file. Nothing else of the agent
// changes.

import type { Logger } from "../../../program/log.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { RIG_GENERATOR_VERSION } from "../../../src/face/rig/bake-portrait.ts";
import type { Database } from "../../kernel/database/database.ts";
import { isUnavailable } from "../portraits/portrait-store.ts";
import type { Agent } from "../record/agent.ts";
import { deleteFiles } from "../record/agent-files.ts";
import { findAgentById } from "../record/agent-store.ts";
import type { ModelArtifact } from "./agent-model-store.ts";
import { type BakeServices, bakeFile, findBakeSource } from "./bake-model.ts";
import { exchangeArtifact } from "./exchange-artifact.ts";
import { giveUpOutdatedModel, MAX_REBAKE_ATTEMPTS, type OutdatedModel, returnOutdatedModel } from "./rebake-store.ts";

/** Outcomes as `/metrics` counts them. `refused`: this generator cannot use the portrait; `failed`: the attempt failed
 *  and may be repeated; `superseded`: the agent was deleted or regenerated meanwhile. */
export const REBAKE_RESULTS = ["baked", "refused", "failed", "superseded"] as const;
export type RebakeResult = (typeof REBAKE_RESULTS)[number];

export interface RebakeServices extends BakeServices {
  database: Database;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Bakes a claimed model again. Never throws for the model's sake: a refusal or failure leaves the earlier file in use.
 *  Null if `signal`, the end of this process, cut the attempt short; it does not count then. Throws the errors of the
 *  database. */
export async function rebakeModel(
  services: RebakeServices,
  outdated: OutdatedModel,
  signal: AbortSignal,
): Promise<RebakeResult | null> {
  const { agentId, family, generatorVersion, attempt } = outdated;
  const agent = await findAgentById(services.database, agentId);
  if (!agent || agent.deletedAt) return "superseded";
  const log = { agentCode: agent.code, family, generatorVersion, newVersion: RIG_GENERATOR_VERSION };
  const started = performance.now();
  try {
    const made = await bakeAgain(services, agent, outdated);
    const isExchanged = await exchange(services, agent, outdated, made);
    if (!isExchanged) return "superseded";
    services.logger.info({ ...log, durationMs: Math.round(performance.now() - started) }, "model was baked again");
    return "baked";
  } catch (error) {
    if (signal.aborted) {
      await returnOutdatedModel(services.database, outdated);
      return null;
    }
    if (isServiceError(error) && !isUnavailable(error)) {
      await giveUpOutdatedModel(services.database, outdated);
      services.logger.warn(
        { ...log, reason: error.message },
        "model was not baked again: this version refuses its portrait, and the earlier file stays in use",
      );
      return "refused";
    }
    const isLastAttempt = attempt >= MAX_REBAKE_ATTEMPTS;
    services.logger.warn({ ...log, err: error, attempt, isLastAttempt }, "baking a model again failed");
    return "failed";
  }
}

/** Bakes and stores the new file, under a key of its own: the earlier file is in use. Gestures that were made for the
 *  agent are kept. */
async function bakeAgain(
  services: RebakeServices,
  agent: Agent,
  { family, key: earlierKey }: OutdatedModel,
): Promise<ModelArtifact> {
  const source = await findBakeSource(services, agent);
  if (!("points" in source)) throw new ServiceError("IMAGE_FACE_UNSUITABLE", source.reason);
  // A run that has made gestures has set it. Otherwise the earlier file need not be read.
  const earlier = agent.dynamics.enabled === undefined ? undefined : await services.storage.readAll(earlierKey);
  const { imx, generatorVersion } = await bakeFile(services, agent, family, { ...source, gesturesOf: earlier });
  if (generatorVersion !== RIG_GENERATOR_VERSION) {
    throw new Error(`the baker is of version ${generatorVersion}: the program was replaced while it ran`);
  }
  const key = `models/${agent.id}-${agent.revision}-${family}-${generatorVersion}.imx`;
  return { ...(await services.storage.put(key, imx)), generatorVersion };
}

/** Puts the new file in the earlier one's place, in one transaction. Removes it and returns false if the agent was
 *  deleted or regenerated meanwhile. */
async function exchange(
  services: RebakeServices,
  { id, revision }: Agent,
  outdated: OutdatedModel,
  made: ModelArtifact,
): Promise<boolean> {
  const isExchanged = await services.database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, id, { lock: true });
    if (!agent || agent.deletedAt || agent.revision !== revision) return false;
    return exchangeArtifact(transaction, outdated, made, new Date(services.now()));
  });
  if (!isExchanged) await deleteFiles(services, [made.key]);
  return isExchanged;
}
