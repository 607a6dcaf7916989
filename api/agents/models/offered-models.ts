// The model families that this installation offers: all of the catalogue, but essence-2-quality only if the operator
// configured its network.
import type { Config } from "../../../program/config.ts";
import { FAMILIES, MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";

/** Families that callers may request, in the catalogue's order. */
export function offeredModels({ qualityNetworkPath }: Config["rendering"]): ModelFamily[] {
  const isOffered = (family: ModelFamily): boolean =>
    MODEL_CATALOGUE[family].offered || (family === "essence-2-quality" && qualityNetworkPath !== undefined);
  return FAMILIES.filter(isOffered);
}
