// The model catalogue: every family, shorthand and force-tier slug that a caller may name, one row each.

export const FAMILIES = [
  "essence-1",
  "expression-1",
  "essence-2",
  "essence-2-light",
  "essence-2-quality",
  "expression-2",
] as const;
export type ModelFamily = (typeof FAMILIES)[number];

/** Which execution provider a slug pins; null lets the worker choose. */
export type PinnedProvider = "cpu" | AcceleratedProvider | null;
/** Providers that only some workers have. */
export type AcceleratedProvider = "cuda" | "ane";

export interface ModelFamilySettings {
  family: ModelFamily;
  /** Whether the subject must be a photorealistic person. */
  humanOnly: boolean;
  /** Whether a per-agent `.imx` is baked ahead (false: baked at session start). */
  hasArtifact: boolean;
  /** Whether callers may ask for it at creation. */
  offered: boolean;
}

const row = (settings: ModelFamilySettings): ModelFamilySettings => Object.freeze(settings);

/** What each family is for. Its price is in `api/accounts/credits/price-list.ts`, its rig in
 *  `src/face/rig/family-settings.ts`; what it is and is not, in words, in `models/README.md`. */
export const MODEL_CATALOGUE: Readonly<Record<ModelFamily, ModelFamilySettings>> = Object.freeze({
  "essence-1": row({
    family: "essence-1",
    humanOnly: true,
    hasArtifact: true,
    offered: true,
  }),
  "expression-1": row({
    family: "expression-1",
    humanOnly: true,
    hasArtifact: false,
    offered: true,
  }),
  "essence-2": row({
    family: "essence-2",
    humanOnly: true,
    hasArtifact: true,
    offered: true,
  }),
  "essence-2-light": row({
    family: "essence-2-light",
    humanOnly: true,
    hasArtifact: true,
    offered: false,
  }),
  "essence-2-quality": row({
    family: "essence-2-quality",
    humanOnly: true,
    hasArtifact: true,
    offered: false,
  }),
  "expression-2": row({
    family: "expression-2",
    humanOnly: false,
    hasArtifact: true,
    offered: true,
  }),
});

export interface ResolvedModel {
  family: ModelFamily;
  /** What it is called from here on: the family, or the force-tier slug, which says more. */
  name: string;
  provider: PinnedProvider;
}

const SHORTHANDS: ReadonlyMap<string, ModelFamily> = new Map([
  ["essence", "essence-1"],
  ["expression", "expression-1"],
]);
const FORCE_TIERS: ReadonlyMap<string, { family: ModelFamily; provider: PinnedProvider }> = new Map([
  ["essence-2-cpu", { family: "essence-2", provider: "cpu" }],
  ["essence-2-gpu", { family: "essence-2", provider: "cuda" }],
  ["essence-2-ane", { family: "essence-2", provider: "ane" }],
  ["expression-2-cpu", { family: "expression-2", provider: "cpu" }],
  ["expression-2-gpu", { family: "expression-2", provider: "cuda" }],
  ["expression-2-ane", { family: "expression-2", provider: "ane" }],
]);

/** The device of a provider, as callers are told. */
export const DEVICES: Readonly<Record<AcceleratedProvider, string>> = Object.freeze({
  cuda: "GPU",
  ane: "Apple Neural Engine",
});

/** Names of the models that pin a GPU. */
export const GPU_MODELS: readonly string[] = [...FORCE_TIERS]
  .filter(([, { provider }]) => provider === "cuda")
  .map(([name]) => name);

/** The family behind a name, shorthand or force-tier slug, or null when there is none (`auto` is not a family). */
export function resolveModel(name: string): ResolvedModel | null {
  if ((FAMILIES as readonly string[]).includes(name)) return { family: name as ModelFamily, name, provider: null };
  const shorthand = SHORTHANDS.get(name);
  if (shorthand) return { family: shorthand, name: shorthand, provider: null };
  const tier = FORCE_TIERS.get(name);
  return tier ? { family: tier.family, name, provider: tier.provider } : null;
}
