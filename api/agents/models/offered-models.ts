// Which model families this installation offers: those of the catalogue, and essence-2-quality where the operator gave the network
// that it draws with.
import type { Config } from "../../../shared/config.ts";
import { FAMILIES, MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";

/** The families that callers may ask for, in the catalogue's order. */
export function offeredModels({ AVATAR_QUALITY_NETWORK }: Pick<Config, "AVATAR_QUALITY_NETWORK">): ModelFamily[] {
  const isOffered = (family: ModelFamily): boolean =>
    MODEL_CATALOGUE[family].offered || (family === "essence-2-quality" && AVATAR_QUALITY_NETWORK !== undefined);
  return FAMILIES.filter(isOffered);
}
