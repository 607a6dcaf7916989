// Which models are available, and the errors for those that are not.
import { ServiceError } from "../../../shared/errors.ts";
import { type ModelFamily, resolveModel } from "../../../shared/models.ts";
import { PRICE_LIST } from "../../accounts/credits/price-list.ts";

export interface ChosenModel {
  family: ModelFamily;
  /** The family, or the force-tier slug that the caller named; the worker receives this name. */
  name: string;
}

/** An operator ends a pause by hand, so the duration is unknown. */
const PAUSED_RETRY_AFTER_SECONDS = 300;

/** The family of a model name. Throws VALIDATION_ERROR for an unknown name and lists the `offered` families. */
export function requireModel(name: string, offered: readonly ModelFamily[]): ChosenModel {
  const resolved = resolveModel(name);
  if (resolved) return { family: resolved.family, name: resolved.name };
  throw new ServiceError("VALIDATION_ERROR", `Unknown model "${name.slice(0, 60)}". Accepted: ${offered.join(", ")}.`);
}

/** Throws MODEL_NOT_YET_AVAILABLE if the operator has paused a family. Running work continues; no new work is started
 *  or billed. */
export function assertNotPaused(family: ModelFamily, paused: readonly ModelFamily[]): void {
  if (!paused.includes(family)) return;
  throw new ServiceError("MODEL_NOT_YET_AVAILABLE", `The model ${family} is paused. Nothing was started or billed.`, {
    retryAfterSeconds: PAUSED_RETRY_AFTER_SECONDS,
  });
}

/** Throws unless an agent can be launched as `family` now. The message says what the caller can do. */
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
    // This family is rendered from the agent's other files; it has no file that could be added.
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
