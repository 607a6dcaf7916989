// Gives an opened avatar its lip sync and its place on the page.

import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import type { Avatar } from "../../../../src/face/rendering/avatar.ts";
import type { InferenceRuntime } from "../../../../src/signal/inference/inference-runtime.ts";
import { SAMPLE_RATE_HZ } from "./decode-audio-file.ts";
import { EngineSteps } from "./face-steps.ts";
import { LIVE_RESERVE_MS } from "./live-reserve.ts";
import { preferredManner } from "./preferred-manner.ts";
import { TabFace, type TabFaceParts } from "./tab-face.ts";

export interface CreateTabFaceOptions extends Omit<TabFaceParts, "steps" | "widthPx" | "heightPx" | "gestures"> {
  avatar: Avatar;
  /** Runs lip sync. */
  runtime: InferenceRuntime;
  lipSyncWeights: Promise<Uint8Array>;
}

/** The face is `still` for visitors who prefer less motion. Closes the avatar and rejects if the weights did not
 *  come or cannot be used. */
export async function createTabFace({ runtime, lipSyncWeights, ...parts }: CreateTabFaceOptions): Promise<TabFace> {
  const { avatar, ...rest } = parts;
  try {
    const engine = await createEngine({
      avatar,
      runtime,
      lipSyncModel: await lipSyncWeights,
      sampleRateHz: SAMPLE_RATE_HZ,
      startReserveMs: LIVE_RESERVE_MS,
      manner: preferredManner(),
    });
    const { widthPx, heightPx, gestures } = avatar;
    return new TabFace({
      ...rest,
      widthPx,
      heightPx,
      gestures: [...gestures.keys()],
      steps: new EngineSteps(engine, avatar),
    });
  } catch (error) {
    await avatar.close();
    throw error;
  }
}
