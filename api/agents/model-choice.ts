// Which model a caller means, and what to tell them when it cannot be had.
import { ServiceError } from "../../shared/errors.ts";
import { CREATION_MODEL_NAMES, MODEL_CATALOGUE, type ModelFamily, resolveModel } from "../../shared/models.ts";

/** From this day on, creation without `model`, or with `version`, is refused. Source: the contract. */
const MODEL_REQUIRED_FROM = Date.parse("2026-12-26T00:00:00Z");
/** What an omitted model means until then. */
const DEFAULT_FAMILY: ModelFamily = "expression-1";
/** Families that can be added to an agent later. */
const ADDABLE: readonly ModelFamily[] = ["essence-1", "essence-2", "expression-1", "expression-2"];

export interface ApiWarning {
  code: "MODEL_DEFAULT_DEPRECATED";
  message: string;
}

export interface CreationModel {
  /** `auto` is decided later, from the picture or the prompt. */
  family: ModelFamily | "auto";
  warnings: ApiWarning[];
}

/** The family that a creation request names. Throws ServiceError: VALIDATION_ERROR for unknown and retired names (the accepted ones
 *  are listed), MODEL_NOT_OFFERED (essence-2-quality without a network of the operator's), MISSING_PARAM when it is omitted after the cut-off day. */
export function chooseCreationModel(
  model: string | undefined,
  version: string | undefined,
  { now, hasQualityNetwork }: { now: Date; hasQualityNetwork: boolean },
): CreationModel {
  const isPastCutOff = now.getTime() >= MODEL_REQUIRED_FROM;
  if (version !== undefined && isPastCutOff) {
    throw new ServiceError("VALIDATION_ERROR", "version is no longer accepted: name the model, for example essence-2");
  }
  if (model === undefined) {
    if (isPastCutOff) throw new ServiceError("MISSING_PARAM", `model is required. ${acceptedNames()}`);
    const message = `model was omitted, so ${DEFAULT_FAMILY} is created. From 2026-12-26 on model is required.`;
    return { family: DEFAULT_FAMILY, warnings: [{ code: "MODEL_DEFAULT_DEPRECATED", message }] };
  }
  if (model === "essence-2-light") {
    throw new ServiceError(
      "VALIDATION_ERROR",
      'Invalid model "essence-2-light": it was retired, use essence-2 instead',
    );
  }
  if (model === "essence-2-quality" && hasQualityNetwork) return { family: model, warnings: [] };
  const resolved = resolveModel(model);
  if (resolved && resolved.name === resolved.family && !MODEL_CATALOGUE[resolved.family].offered) {
    throw new ServiceError("MODEL_NOT_OFFERED", `The model ${model} is not offered. Nothing was charged.`);
  }
  if (!(CREATION_MODEL_NAMES as readonly string[]).includes(model)) {
    throw new ServiceError("VALIDATION_ERROR", `Invalid model "${model.slice(0, 64)}". ${acceptedNames()}`);
  }
  if (model === "auto") return { family: "auto", warnings: [] };
  const isShorthand = model === "essence" || model === "expression";
  const family = isShorthand && version === "v2" ? (`${model}-2` as const) : resolved?.family;
  return { family: family ?? DEFAULT_FAMILY, warnings: [] };
}

/** The family that a model-add request names. Throws VALIDATION_ERROR for anything that cannot be added. */
export function chooseAddedModel(model: string): ModelFamily {
  const family = ADDABLE.find((name) => name === model);
  if (!family) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      `Invalid model "${model.slice(0, 64)}". Accepted: ${ADDABLE.join(", ")}`,
    );
  }
  return family;
}

function acceptedNames(): string {
  return `Accepted: ${CREATION_MODEL_NAMES.join(", ")}`;
}
