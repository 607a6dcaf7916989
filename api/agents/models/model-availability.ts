// Which models can be had, and what to tell a caller about one that cannot.
import { ServiceError } from "../../../shared/errors.ts";
import { type ModelFamily, resolveModel } from "../../../shared/models.ts";
import { PRICE_LIST } from "../../accounts/credits/price-list.ts";

export interface ChosenModel {
  family: ModelFamily;
  /** The family, or the force-tier slug that the caller named: it reaches the worker this way. */
  name: string;
}

/** A pause is lifted by a person. */
const PAUSED_RETRY_AFTER_SECONDS = 300;

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
      : `Agent ${agentCode}: ${family} hasn't been generated yet. Add it with ${addCall} (${PRICE_LIST[family].creationCredits} credits).`,
  );
}
