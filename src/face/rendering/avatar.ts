// A face that can be rendered: an opened `.imx` with its rig graph loaded.
import type { FacePose } from "../../../shared/face-parameters.ts";
import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { GestureFace } from "../gestures/gesture-face.ts";

/** Audio around one frame. */
export interface MouthAudio {
  /** float32 [-1, 1], 16 kHz mono: two hops before the frame's own, its own, and the two of the look-ahead. */
  samples: Float32Array;
  /** Index at which the frame's own 40 ms begin. */
  frameStart: number;
}

/** Our own executor, or the slower ONNX Runtime: on a GPU, and for rigs that the executor does not know. */
export type AvatarRenderer = "executor" | "runtime";

export interface Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Parameters that close the mouth of the portrait; motion is added to them. */
  readonly restPose: FacePose;
  /** Gesture tracks of the bundle by name: frames × 33 parameters, added to the pose at 25 fps. */
  readonly gestures: ReadonlyMap<string, Float32Array>;
  /** What the face allows its gestures, if the bundle says so. */
  readonly gestureFace?: GestureFace;
  /** Strength of head motion of this family, 0..1. */
  readonly headMotion: number;
  /** What renders the rig: our own executor, or ONNX Runtime, which takes several times as long on a processor. */
  readonly renderedBy?: AvatarRenderer;
  /** True if `render` needs the audio of the speech. Default false. */
  readonly usesAudio?: boolean;
  /** Renders one frame. `parameters`: float32 [33] in FACE_PARAMETERS order, rest pose included. `breath`: the chest,
   *  −1 exhaled to 1 inhaled (the portrait; default). `audio`: audio of the current speech, for avatars with a mouth
   *  rendered from audio; null during silence. The frame is valid until the next call. Throws RangeError on any other
   *  length. */
  render(parameters: Float32Array, breath?: number, audio?: MouthAudio | null): Promise<I420Frame>;
  /** Releases the graph. Idempotent. */
  close(): Promise<void>;
}
