// Opens a bundle for rendering. Works wherever an inference runtime does: Node and browsers.

import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import { EngineError } from "../engine-error.ts";
import type { Imx } from "../imx/imx.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../inference/inference-runtime.ts";
import type { Avatar } from "./avatar.ts";
import { decodeCanvas } from "./canvas-png.ts";
import { ChestMotion } from "./chest-motion.ts";
import { type I420Frame, pasteI420 } from "./i420-frame.ts";

/** Loads the rig and renders once as a warm-up. Throws
 *  EngineError(bundle-invalid) if the canvas cannot be read, the runtime refuses the graph, or it renders anything but
 *  the planes of the region. */
export async function openAvatar(imx: Imx, runtime: InferenceRuntime): Promise<Avatar> {
  const canvas = await decodeCanvas(imx.canvas);
  const session = await runtime.createSession(imx.rig).catch((cause: unknown) => {
    throw new EngineError("bundle-invalid", "The rig of the .imx cannot be loaded.", { cause });
  });
  const avatar = new RigAvatar(imx, runtime, session, canvas);
  try {
    await avatar.render(new Float32Array(FACE_PARAMETER_COUNT));
    return avatar;
  } catch (cause) {
    await avatar.close();
    throw new EngineError("bundle-invalid", "The rig of the .imx does not render a face region.", { cause });
  }
}

class RigAvatar implements Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly restPose: Avatar["restPose"];
  readonly gestures: Avatar["gestures"];
  readonly headMotion: number;
  readonly #region: Imx["manifest"]["region"];
  readonly #session: InferenceSession;
  readonly #parameters: Float32Array;
  readonly #feeds: InferenceSession.FeedsType;
  /** Two frames alternate, so that an encoder may still read the last one while the next is rendered. */
  readonly #frames: readonly [I420Frame, I420Frame];
  /** Null for a portrait without shoulders. `still` is the frame that they are moved from. */
  readonly #chest: { motion: ChestMotion; still: I420Frame; pastedFromRow: number } | null;
  #turn = 0;
  #closing: Promise<void> | undefined;

  constructor(
    { manifest, gestures, chest }: Imx,
    runtime: InferenceRuntime,
    session: InferenceSession,
    canvas: I420Frame,
  ) {
    this.widthPx = canvas.widthPx;
    this.heightPx = canvas.heightPx;
    this.restPose = manifest.restPose;
    this.gestures = gestures;
    this.headMotion = manifest.headMotion;
    this.#region = manifest.region;
    this.#session = session;
    this.#parameters = new Float32Array(FACE_PARAMETER_COUNT);
    this.#feeds = { params: new runtime.Tensor("float32", this.#parameters, [1, FACE_PARAMETER_COUNT]) };
    this.#frames = [canvas, { ...canvas, data: canvas.data.slice() }];
    this.#chest = chest ? this.#openChest(new ChestMotion(chest, canvas), canvas) : null;
  }

  async render(parameters: Float32Array, breath = 1): Promise<I420Frame> {
    if (parameters.length !== FACE_PARAMETER_COUNT) {
      throw new RangeError(`a pose has ${FACE_PARAMETER_COUNT} parameters, got ${parameters.length}`);
    }
    this.#parameters.set(parameters);
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

  #openChest(motion: ChestMotion, canvas: I420Frame) {
    const pastedFromRow = Math.min(this.#region.sizePx, Math.max(0, motion.firstSourceRow - this.#region.y));
    return { motion, still: { ...canvas, data: canvas.data.slice() }, pastedFromRow };
  }

  close(): Promise<void> {
    this.#closing ??= this.#session.release();
    return this.#closing;
  }
}

/** The bytes of an output. Throws TypeError unless there are `count` of them. */
function planeOf(tensor: Tensor | undefined, count: number): Uint8Array {
  if (!(tensor?.data instanceof Uint8Array) || tensor.data.length !== count) {
    throw new TypeError(`the rig must return ${count} bytes per plane`);
  }
  return tensor.data;
}
