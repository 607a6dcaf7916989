// Opens an avatar for its model family: with its rig alone, or with the operator's mouth network. Node only.
import { readFile } from "node:fs/promises";
import { EngineError } from "../../../shared/engine-error.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import type { Imx } from "../imx/imx.ts";
import type { Avatar } from "../rendering/avatar.ts";
import { openAvatar } from "../rendering/open-avatar.ts";
import { QualityAvatar } from "./quality-avatar.ts";
import { QualityNetwork } from "./quality-network.ts";

export interface FamilyAvatarOptions {
  runtime: InferenceRuntime;
  /** File of the mouth network of `essence-2-quality` (AVATAR_QUALITY_NETWORK). */
  qualityNetworkPath?: string;
}

/** Opens the avatar for `family`. Throws as `openAvatar`; for `essence-2-quality` also EngineError: no-mouth-network
 *  without a network, unavailable for one that cannot be read or used, bundle-outdated for a bundle that does not say
 *  where its face is. */
export async function openFamilyAvatar(imx: Imx, family: ModelFamily, options: FamilyAvatarOptions): Promise<Avatar> {
  const { runtime, qualityNetworkPath } = options;
  if (family !== "essence-2-quality") return openAvatar(imx, runtime);
  if (!qualityNetworkPath) {
    throw new EngineError(
      "no-mouth-network",
      "The model essence-2-quality is not offered: no mouth network is configured (AVATAR_QUALITY_NETWORK).",
    );
  }
  const bytes = await readFile(qualityNetworkPath).catch((cause: unknown) => {
    throw new EngineError("unavailable", "The file named by AVATAR_QUALITY_NETWORK cannot be read.", { cause });
  });
  const network = await QualityNetwork.load(runtime, bytes);
  const rig = await openAvatar(imx, runtime).catch(async (error: unknown) => {
    await network.close();
    throw error;
  });
  try {
    return new QualityAvatar(rig, imx.manifest, network);
  } catch (error) {
    await rig.close();
    await network.close();
    throw error;
  }
}
