// `@open-avatar/engine/live`: a face in real time, for programs that pace it themselves, such as one in a LiveKit room.
import type { Engine } from "../../src/face/engine/engine.ts";
import type { BundleSource, MotionOptions } from "./avatar.ts";
import { engineMotion } from "./core/opened-avatar.ts";
import { openBundleInNode } from "./node/node-avatar.ts";

export type {
  Engine,
  EngineAudio,
  EngineEvent,
  ExpressiveSegment,
  FrameInput,
  SegmentInput,
} from "../../src/face/engine/engine.ts";
export type { HeardOfUser } from "../../src/face/motion/listening-reactions.ts";
export type { I420Frame } from "../../src/signal/image/i420-frame.ts";
export { type HeardPhrase, PhraseDetector } from "../../src/speech/phrases/phrase-detector.ts";

/** How audio and frames are timed. */
export interface LiveOptions extends MotionOptions {
  /** Steps by which audio is output before its frame. Default 0. */
  audioLeadTicks?: 0 | 1 | 2;
  /** Audio of a segment that must have arrived before it starts, or goes on after an underrun, ms. A function is asked
   *  each time. Default 0. */
  startReserveMs?: number | (() => number);
  /** Monotonic time, ms: with it, speech that is late is shortened inaudibly until it has caught up. */
  liveClock?: () => number;
}

export interface LiveFace {
  readonly widthPx: number;
  readonly heightPx: number;
  /** One step is 40 ms of audio and a frame; see its methods. */
  readonly engine: Engine;
  /** Releases everything. */
  close(): Promise<void>;
}

/** Opens an `.imx` with an engine of its own. Throws as `open` of the package does. */
export async function openLive(bundle: BundleSource, options: LiveOptions = {}): Promise<LiveFace> {
  const opened = await openBundleInNode(bundle);
  try {
    const engine = await opened.engine({ ...options, ...engineMotion(options) });
    const { widthPx, heightPx } = opened.avatar;
    const close = async (): Promise<void> => {
      await engine.close();
      await opened.close();
    };
    return { widthPx, heightPx, engine, close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
