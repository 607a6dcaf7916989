// A face that can be drawn: an opened `.imx` with its rig graph loaded.
import type { FacePose } from "../../shared/face-parameters.ts";
import type { I420Frame } from "./i420-frame.ts";

/** Sound around one frame. */
export interface MouthSound {
  /** float32 [-1, 1], 16 kHz mono: two hops before the frame's own, its own, and the two of the look-ahead. */
  samples: Float32Array;
  /** Index at which the frame's own 40 ms begin. */
  pictureStart: number;
}

export interface Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Parameters that close the photo's mouth; acting adds everything else to them. */
  readonly restPose: FacePose;
  /** Gesture tracks of the bundle by name: frames × 21 parameters, added to the pose at 25 fps. */
  readonly gestures: ReadonlyMap<string, Float32Array>;
  /** Strength of head motion of this family, 0..1. */
  readonly headMotion: number;
  /** True if `draw` wants the sound of what is said. Default false. */
  readonly wantsSound?: boolean;
  /** Draws one frame. `parameters`: float32 [21] in FACE_PARAMETERS order, rest pose included. `breath`: the chest,
   *  −1 breathed out to 1 breathed in, which is the portrait and the default. `sound`: what is being said, for avatars
   *  whose mouth is drawn from sound; null while nothing is. The frame is valid until the next call. Throws RangeError
   *  on any other length. */
  draw(parameters: Float32Array, breath?: number, sound?: MouthSound | null): Promise<I420Frame>;
  /** Releases the graph. Idempotent. */
  close(): Promise<void>;
}
