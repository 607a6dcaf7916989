// Whether the visitor of an embed page may render the avatar in their own browser, and which file they get for it. The
// agent's owner decides; some models are streamed always.
import { type ModelFamily, resolveModel } from "../../shared/models.ts";
import type { EmbedCaller } from "../accounts/caller.ts";
import type { ChosenModel } from "../agents/models/model-availability.ts";
import { type Agent, artifactFor, supportedModels } from "../agents/record/agent.ts";

/** What a page asks for: the stream, to render itself, or to render itself if it may. */
export const RENDER_CHOICES = ["stream", "local", "auto"] as const;
/** Who renders. */
export const RENDERERS = ["stream", "local"] as const;

/** Families without a file that shows what the stream shows: `expression-1` is rendered from a portrait, or from
 *  another model's file, and the mouth of `essence-2-quality` is a network that stays on the server (ADR 109). */
const STREAMED_FAMILIES: readonly ModelFamily[] = ["expression-1", "essence-2-quality"];

/** The `.imx` that a page renders. */
export interface Bundle {
  /** Key in the object storage. */
  key: string;
  /** SHA-256, hex. */
  sha256: string;
  bytes: number;
}

/** Whether the agent's owner lets the visitor of this token render it: everyone whom a token of the owner's names,
 *  unless it is forbidden, and visitors of shared tokens, `/demo` and short links included, only if it is allowed. */
export function isLocalAllowed({ localRendering }: Pick<Agent, "localRendering">, isProven: boolean): boolean {
  return localRendering === "allowed" || (localRendering === "default" && isProven);
}

/** The file that shows a model of the agent as the stream does; null if the model is streamed always, because a
 *  force-tier slug names the device that renders it or its family has no such file, or if the file is still being made.
 *  */
export function bundleFor(agent: Agent, { family, name }: ChosenModel): Bundle | null {
  if (STREAMED_FAMILIES.includes(family) || resolveModel(name)?.provider != null) return null;
  const key = artifactFor(agent, family)?.key;
  const model = agent.models.find(({ artifactKey }) => artifactKey !== null && artifactKey === key);
  if (!model?.artifactKey || model.artifactSha256 === null || model.artifactBytes === null) return null;
  return { key: model.artifactKey, sha256: model.artifactSha256, bytes: model.artifactBytes };
}

/** The file of this SHA-256 among those that the visitor of a token may render: of the token's model, or of any that
 *  the agent can be shown as. Null if there is none. */
export function findBundle(
  agent: Agent,
  { model }: Pick<EmbedCaller, "model">,
  { sha256, offered }: { sha256: string; offered: readonly ModelFamily[] },
): Bundle | null {
  const named = model === null ? null : resolveModel(model);
  const models = named ? [named] : supportedModels(agent, offered).map((family) => ({ family, name: family }));
  return models.map((chosen) => bundleFor(agent, chosen)).find((bundle) => bundle?.sha256 === sha256) ?? null;
}
