// Renders the region with its graph in ONNX Runtime: on GPUs, and wherever the executor does not know the graph.
import { type I420Frame, pasteI420 } from "../../signal/image/i420-frame.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../../signal/inference/inference-runtime.ts";
import type { Imx } from "../imx/imx.ts";
import { ChestMotion } from "./chest-motion.ts";
import type { FrameRenderer } from "./frame-renderer.ts";

export class GraphRenderer implements FrameRenderer {
  readonly #region: Imx["manifest"]["region"];
  readonly #session: InferenceSession;
  readonly #parameters: Float32Array;
  readonly #feeds: InferenceSession.FeedsType;
  readonly #frames: readonly [I420Frame, I420Frame];
  /** Null for a portrait without shoulders. `still` is the frame that they are moved from. */
  readonly #chest: { motion: ChestMotion; still: I420Frame; pastedFromRow: number } | null;
  #turn = 0;
  #closing: Promise<void> | undefined;

  /** Owns `session` and `canvas`. */
  constructor({ manifest, chest }: Imx, runtime: InferenceRuntime, session: InferenceSession, canvas: I420Frame) {
    this.#region = manifest.region;
    this.#parameters = new Float32Array(manifest.parameters.length);
    this.#session = session;
    this.#feeds = { params: new runtime.Tensor("float32", this.#parameters, [1, this.#parameters.length]) };
    this.#frames = [canvas, { ...canvas, data: canvas.data.slice() }];
    this.#chest = chest ? this.#openChest(new ChestMotion(chest, canvas), canvas) : null;
  }

  /** Throws TypeError if the graph returns anything but the planes of the region. */
  async render(parameters: Float32Array, breath: number): Promise<I420Frame> {
    // A rig of an earlier version takes the first parameters.
    this.#parameters.set(parameters.subarray(0, this.#parameters.length));
    const planes = await this.#session.run(this.#feeds);
    const y = planeOf(planes.y, this.#region.sizePx ** 2);
    const uv = planeOf(planes.uv, this.#region.sizePx ** 2 / 2);
    const frame = this.#frames[this.#turn];
    this.#turn = 1 - this.#turn;
    pasteI420(frame, { y, uv }, this.#region);
    if (this.#chest) {
      const { motion, still, pastedFromRow } = this.#chest;
      pasteI420(still, { y, uv }, this.#region, pastedFromRow);
      motion.apply(still, frame, breath);
    }
    return frame;
  }

  close(): Promise<void> {
    this.#closing ??= this.#session.release();
    return this.#closing;
  }

  #openChest(motion: ChestMotion, canvas: I420Frame) {
    const pastedFromRow = Math.min(this.#region.sizePx, Math.max(0, motion.firstSourceRow - this.#region.y));
    return { motion, still: { ...canvas, data: canvas.data.slice() }, pastedFromRow };
  }
}

/** The bytes of an output. Throws TypeError unless there are `count` of them. */
function planeOf(tensor: Tensor | undefined, count: number): Uint8Array {
  if (!(tensor?.data instanceof Uint8Array) || tensor.data.length !== count) {
    throw new TypeError(`the rig must return ${count} bytes per plane`);
  }
  return tensor.data;
}
