// Chooses the model of a launch.
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import { assertGenerated, type ChosenModel, requireModel } from "../../agents/models/model-availability.ts";
import { type Agent, isModelComing, supportedModels } from "../../agents/record/agent.ts";

/** Order of preference if the caller names no model and the agent's own has not been generated. */
const PREFERENCE: readonly ModelFamily[] = [
  "essence-2",
  "expression-2",
  "essence-1",
  "expression-1",
  "essence-2-light",
];

/** What mode `cpu` means without a model: clients that know no model names send it for the essence line. */
const CPU_FAMILIES: readonly ModelFamily[] = ["essence-2", "essence-1", "essence-2-light"];

/** The model of a launch with an agent: the one named, else the agent's own, or in mode `cpu` one of the essence line
 *  if the agent has one. Throws VALIDATION_ERROR, MODEL_NOT_OFFERED or MODEL_NOT_GENERATED. */
export function chooseModel(
  agent: Agent,
  name: string | null,
  offered: readonly ModelFamily[],
  mode = "gpu",
): ChosenModel {
  const supported = supportedModels(agent, offered);
  if (name === null) {
    const suited = mode === "cpu" && !agent.model.startsWith("essence") ? CPU_FAMILIES : [];
    const preferred = [...suited, agent.model, ...PREFERENCE];
    const family = preferred.find((candidate) => supported.includes(candidate)) ?? agent.model;
    assertGenerated(agent.code, family, supported, offered);
    return { family, name: family };
  }
  const chosen = requireModel(name, offered);
  assertGenerated(agent.code, chosen.family, supported, offered);
  return chosen;
}

/** As `chooseModel`, for a page that waits for its avatar: also the agent's own model while it is being made. */
export function chooseAwaitedModel(agent: Agent, name: string | null, offered: readonly ModelFamily[]): ChosenModel {
  const awaited = name === null ? { family: agent.model, name: agent.model } : requireModel(name, offered);
  const isComing = awaited.family === agent.model && isModelComing(agent, awaited.family);
  return isComing ? awaited : chooseModel(agent, name, offered);
}

/** The model of a launch with an image: expression-1, the only one without a baked file. Throws VALIDATION_ERROR for
 *  any other. */
export function choosePhotoModel(name: string | null, offered: readonly ModelFamily[]): ChosenModel {
  const chosen = requireModel(name ?? "expression-1", offered);
  if (chosen.family === "expression-1") return chosen;
  throw new ServiceError("VALIDATION_ERROR", "image can be used only with the model expression-1");
}
