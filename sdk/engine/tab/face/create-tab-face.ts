// Gives an opened avatar its lip sync and its place on the page.
import { type Avatar, createEngine, type InferenceRuntime } from "../../../../src/browser.ts";
import { SAMPLE_RATE_HZ } from "./decode-audio-file.ts";
import { TabFace, type TabFaceParts } from "./tab-face.ts";

/** Audio that must have arrived before the face begins to say what is spoken now, ms: two frames more than lip sync
 *  looks ahead. */
const LIVE_RESERVE_MS = 200;

export interface CreateTabFaceOptions extends Omit<TabFaceParts, "engine"> {
  avatar: Avatar;
  /** Runs lip sync. */
  runtime: InferenceRuntime;
  lipSyncWeights: Promise<Uint8Array>;
}

/** Closes the avatar and rejects if the weights did not come or cannot be used. */
export async function createTabFace({ runtime, lipSyncWeights, ...parts }: CreateTabFaceOptions): Promise<TabFace> {
  const { avatar } = parts;
  try {
    const engine = await createEngine({
      avatar,
      runtime,
      lipSyncModel: await lipSyncWeights,
      sampleRateHz: SAMPLE_RATE_HZ,
      startReserveMs: LIVE_RESERVE_MS,
    });
    return new TabFace({ ...parts, engine });
  } catch (error) {
    await avatar.close();
    throw error;
  }
}
