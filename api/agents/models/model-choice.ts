// Which model family a request names, and the errors for families that are not available.
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { Deprecation } from "../../kernel/http/deprecation.ts";
import type { ApiWarning } from "../api-warning.ts";

/** From this day on, creation without `model`, or with `version`, is refused. Source: the contract. */
const MODEL_REQUIRED_FROM_MS = Date.parse("2026-12-26T00:00:00Z");
/** Notice period before that day. */
const NOTICE_MS = 90 * 24 * 3_600_000;
/** The family of an omitted `model` until then. */
const DEFAULT_FAMILY: ModelFamily = "expression-1";
/** Values of `version`, which select a generation of a shorthand. Source: the contract. */
const VERSIONS = ["v1", "v2"] as const;
const SHORTHANDS = ["essence", "expression"] as const;
/** Families that can be added to an agent later. */
const ADDABLE: readonly ModelFamily[] = ["essence-1", "essence-2", "expression-1", "expression-2"];

export interface CreationModel {
  /** `auto` is resolved later, from the image or the prompt. */
  family: ModelFamily | "auto";
  warnings: ApiWarning[];
}

/** The deprecation for a request without `model`, or with `version`; null for any other. */
export function modelDeprecation(model: string | undefined, version: string | undefined): Deprecation | null {
  if (model !== undefined && version === undefined) return null;
  return { sinceMs: MODEL_REQUIRED_FROM_MS - NOTICE_MS, untilMs: MODEL_REQUIRED_FROM_MS };
}

/** The family that a creation request names. Throws VALIDATION_ERROR for unknown and retired names (with a list of the
 *  accepted ones) and for unknown versions, MODEL_NOT_OFFERED for a family that is not `offered`, and MISSING_PARAM if
 *  `model` is omitted after the cut-off day. */
export function chooseCreationModel(
  model: string | undefined,
  version: string | undefined,
  { now, offered }: { now: Date; offered: readonly ModelFamily[] },
): CreationModel {
  const isPastCutOff = now.getTime() >= MODEL_REQUIRED_FROM_MS;
  if (version !== undefined && isPastCutOff) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      "version is no longer accepted. Send model instead, for example essence-2.",
    );
  }
  // Without this check a misspelt version would create, and charge for, the first generation.
  if (version !== undefined && !(VERSIONS as readonly string[]).includes(version)) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      `Invalid version "${shorten(version)}". Accepted: ${VERSIONS.join(", ")}`,
    );
  }
  if (model === undefined) {
    if (isPastCutOff) throw new ServiceError("MISSING_PARAM", `model is required. ${acceptedNames(offered)}`);
    const message = `model was omitted, so ${DEFAULT_FAMILY} is created. From 2026-12-26 on model is required.`;
    return { family: DEFAULT_FAMILY, warnings: [{ code: "MODEL_DEFAULT_DEPRECATED", message }] };
  }
  if (model === "auto") return { family: "auto", warnings: [] };
  const family = offered.find((name) => name === model);
  if (family) return { family, warnings: [] };
  const shorthand = SHORTHANDS.find((name) => name === model);
  if (shorthand) return { family: version === "v2" ? `${shorthand}-2` : `${shorthand}-1`, warnings: [] };
  assertOffered(model, offered);
  const isRetired = model === "essence-2-light";
  const why = isRetired ? " It was retired: use essence-2 instead." : "";
  throw new ServiceError("VALIDATION_ERROR", `Invalid model "${shorten(model)}".${why} ${acceptedNames(offered)}`);
}

/** The family that `auto` resolves to for a subject. */
export function autoFamily({ isPerson }: { isPerson: boolean }): ModelFamily {
  return isPerson ? "essence-2" : "expression-2";
}

/** The family that an add-model request names. Throws VALIDATION_ERROR for families that cannot be added, and
 *  MODEL_NOT_OFFERED. */
export function chooseAddedModel(model: string, offered: readonly ModelFamily[]): ModelFamily {
  const family = ADDABLE.find((name) => name === model);
  if (!family) {
    assertOffered(model, offered);
    throw new ServiceError("VALIDATION_ERROR", `Invalid model "${shorten(model)}". Accepted: ${ADDABLE.join(", ")}`);
  }
  return family;
}

/** Throws MODEL_NOT_OFFERED for the one family that depends on the operator. */
function assertOffered(model: string, offered: readonly ModelFamily[]): void {
  if (model !== "essence-2-quality" || offered.includes(model)) return;
  throw new ServiceError("MODEL_NOT_OFFERED", `The model ${model} is not offered. Nothing was charged.`);
}

function acceptedNames(offered: readonly ModelFamily[]): string {
  return `Accepted: ${[...[...offered].sort(), ...SHORTHANDS, "auto"].join(", ")}`;
}

function shorten(text: string): string {
  return text.slice(0, 64);
}
