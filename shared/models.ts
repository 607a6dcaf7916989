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
export type PinnedProvider = "cpu" | "cuda" | null;

export interface ModelFamilySettings {
  family: ModelFamily;
  /** Credits for creating an agent with it, one time. */
  creationCredits: number;
  /** Credits per minute of an avatar session: our cloud, the caller's machine. */
  cloudCreditsPerMinute: number;
  selfHostedCreditsPerMinute: number;
  /** Side of the drawn face region in px. */
  faceRegionPx: 256 | 384;
  /** Strength of head motion, 0 (still) to 1. */
  headMotion: number;
  /** Whether the subject must be a photorealistic person. */
  humanOnly: boolean;
  /** Whether a per-agent `.imx` is baked ahead (false: baked at session start). */
  hasArtifact: boolean;
  /** Whether callers may ask for it at creation. */
  offered: boolean;
}

const row = (settings: ModelFamilySettings): ModelFamilySettings => Object.freeze(settings);

/** One rig at different settings; `models/README.md` says so in words. Prices: the contract. */
export const MODEL_CATALOGUE: Readonly<Record<ModelFamily, ModelFamilySettings>> = Object.freeze({
  "essence-1": row({
    family: "essence-1",
    creationCredits: 250,
    cloudCreditsPerMinute: 2,
    selfHostedCreditsPerMinute: 1,
    faceRegionPx: 384,
    headMotion: 0.15,
    humanOnly: true,
    hasArtifact: true,
    offered: true,
  }),
  "expression-1": row({
    family: "expression-1",
    creationCredits: 250,
    cloudCreditsPerMinute: 4,
    selfHostedCreditsPerMinute: 2,
    faceRegionPx: 384,
    headMotion: 1,
    humanOnly: true,
    hasArtifact: false,
    offered: true,
  }),
  "essence-2": row({
    family: "essence-2",
    creationCredits: 500,
    cloudCreditsPerMinute: 4,
    selfHostedCreditsPerMinute: 2,
    faceRegionPx: 384,
    headMotion: 1,
    humanOnly: true,
    hasArtifact: true,
    offered: true,
  }),
  "essence-2-light": row({
    family: "essence-2-light",
    creationCredits: 500,
    cloudCreditsPerMinute: 4,
    selfHostedCreditsPerMinute: 2,
    faceRegionPx: 256,
    headMotion: 1,
    humanOnly: true,
    hasArtifact: true,
    offered: false,
  }),
  "essence-2-quality": row({
    family: "essence-2-quality",
    creationCredits: 500,
    cloudCreditsPerMinute: 8,
    selfHostedCreditsPerMinute: 4,
    faceRegionPx: 384,
    headMotion: 1,
    humanOnly: true,
    hasArtifact: true,
    offered: false,
  }),
  "expression-2": row({
    family: "expression-2",
    creationCredits: 2000,
    cloudCreditsPerMinute: 4,
    selfHostedCreditsPerMinute: 2,
    faceRegionPx: 384,
    headMotion: 1,
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
  ["essence-2-ane", { family: "essence-2", provider: "cpu" }],
  ["expression-2-cpu", { family: "expression-2", provider: "cpu" }],
  ["expression-2-gpu", { family: "expression-2", provider: "cuda" }],
  ["expression-2-ane", { family: "expression-2", provider: "cpu" }],
]);

/** The family behind a name, shorthand or force-tier slug, or null when there is none (`auto` is not a family). */
export function resolveModel(name: string): ResolvedModel | null {
  if ((FAMILIES as readonly string[]).includes(name)) return { family: name as ModelFamily, name, provider: null };
  const shorthand = SHORTHANDS.get(name);
  if (shorthand) return { family: shorthand, name: shorthand, provider: null };
  const tier = FORCE_TIERS.get(name);
  return tier ? { family: tier.family, name, provider: tier.provider } : null;
}
