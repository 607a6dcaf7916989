// Which model an avatar session is served as, or why it cannot be.
import { ServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE, type ModelFamily, resolveModel } from "../../../shared/models.ts";
import { type Agent, supportedModels } from "../../agents/agent.ts";

export interface ChosenModel {
  family: ModelFamily;
  /** The family, or the force-tier slug that the caller named: it reaches the worker this way. */
  name: string;
}

/** A pause is lifted by a person. */
const PAUSED_RETRY_AFTER_SECONDS = 300;

/** Tried in this order when the caller names no model and the agent's own is not there. */
const PREFERENCE: readonly ModelFamily[] = [
  "essence-2",
  "expression-2",
  "essence-1",
  "expression-1",
  "essence-2-light",
];

/** The family behind a model name. Throws VALIDATION_ERROR for an unknown name, and lists those `offered`. */
export function requireModel(name: string, offered: readonly ModelFamily[]): ChosenModel {
  const resolved = resolveModel(name);
  if (resolved) return { family: resolved.family, name: resolved.name };
  throw new ServiceError("VALIDATION_ERROR", `Unknown model "${name.slice(0, 60)}". Accepted: ${offered.join(", ")}.`);
}

/** Throws MODEL_NOT_YET_AVAILABLE if the operator has paused a model: what runs goes on, nothing new is begun or billed. */
export function assertNotPaused(family: ModelFamily, paused: readonly ModelFamily[]): void {
  if (!paused.includes(family)) return;
  throw new ServiceError("MODEL_NOT_YET_AVAILABLE", `The model ${family} is paused. Nothing was started or billed.`, {
    retryAfterSeconds: PAUSED_RETRY_AFTER_SECONDS,
  });
}

/** The model of a launch with an agent. Throws VALIDATION_ERROR, MODEL_NOT_OFFERED or MODEL_NOT_GENERATED. */
export function chooseModel(agent: Agent, name: string | null, offered: readonly ModelFamily[]): ChosenModel {
  const supported = supportedModels(agent, offered);
  if (name === null) {
    const family = [agent.model, ...PREFERENCE].find((candidate) => supported.includes(candidate)) ?? agent.model;
    assertGenerated(agent.code, family, supported, offered);
    return { family, name: family };
  }
  const chosen = requireModel(name, offered);
  assertGenerated(agent.code, chosen.family, supported, offered);
  return chosen;
}

/** The model of a launch with a picture. Throws VALIDATION_ERROR for any but the one that needs nothing made beforehand. */
export function choosePhotoModel(name: string | null, offered: readonly ModelFamily[]): ChosenModel {
  const chosen = requireModel(name ?? "expression-1", offered);
  if (chosen.family === "expression-1") return chosen;
  throw new ServiceError("VALIDATION_ERROR", "image can be used with the model expression-1 only");
}

/** Throws unless an agent can be served as `family` right now; the message says what to do about it. */
export function assertGenerated(
  agentCode: string,
  family: ModelFamily,
  generated: readonly ModelFamily[],
  offered: readonly ModelFamily[],
): void {
  if (generated.includes(family)) return;
  if (!offered.includes(family)) {
    throw new ServiceError(
      "MODEL_NOT_OFFERED",
      `The model ${family} is not offered. Use essence-2 or expression-2 instead.`,
    );
  }
  if (family === "essence-2-quality") {
    // It is drawn with any file of the agent's, and none of its own can be added later.
    throw new ServiceError(
      "MODEL_NOT_GENERATED",
      `Agent ${agentCode}: ${family} hasn't been generated yet. Create an agent with it.`,
    );
  }
  const addCall = `POST /v1/agent/${agentCode}/models with {"model": "${family}"}`;
  throw new ServiceError(
    "MODEL_NOT_GENERATED",
    family === "expression-1"
      ? `Agent ${agentCode}: ${family} isn't enabled on this agent yet. Enable it with ${addCall} (free).`
      : `Agent ${agentCode}: ${family} hasn't been generated yet. Add it with ${addCall} (${MODEL_CATALOGUE[family].creationCredits} credits).`,
  );
}
