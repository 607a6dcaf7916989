// What renders the frames of an avatar from its bundle.
import type { I420Frame } from "../../signal/image/i420-frame.ts";

export interface FrameRenderer {
  /** Renders one frame. `parameters`: float32 [33], rest pose included; `breath`: −1..1. The frame has a buffer of its
   *  own and is valid until the next call but one, so that an encoder may still read it while the next is rendered. */
  render(parameters: Float32Array, breath: number): I420Frame | Promise<I420Frame>;
  close(): Promise<void>;
}
