// Opens a bundle for drawing. Works wherever an inference runtime does: Node and browsers.
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import { decodePng } from "../image/decode-png.ts";
import type { Imx } from "../imx/imx.ts";
import type { InferenceRuntime, InferenceSession } from "../inference/inference-runtime.ts";
import type { Avatar } from "./avatar.ts";
import { type I420Frame, pasteI420, toI420Frame } from "./i420-frame.ts";

/** Loads the rig and draws once, so that the first real picture is not the slow one. Throws ServiceError(VALIDATION_ERROR) if the canvas
 *  cannot be read, and whatever the runtime throws for a graph that it refuses. */
export async function openAvatar(imx: Imx, runtime: InferenceRuntime): Promise<Avatar> {
  const canvas = toI420Frame(await decodePng(imx.canvas));
  const session = await runtime.createSession(imx.rig);
  const avatar = new RigAvatar(imx, runtime, session, canvas);
  await avatar.draw(new Float32Array(FACE_PARAMETER_COUNT));
  return avatar;
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
  /** Two frames take turns, so that an encoder may still read the last one while the next is drawn. */
  readonly #frames: readonly [I420Frame, I420Frame];
  #turn = 0;
  #closing: Promise<void> | undefined;

  constructor({ manifest, gestures }: Imx, runtime: InferenceRuntime, session: InferenceSession, canvas: I420Frame) {
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
  }

  async draw(parameters: Float32Array): Promise<I420Frame> {
    if (parameters.length !== FACE_PARAMETER_COUNT) {
      throw new RangeError(`a pose has ${FACE_PARAMETER_COUNT} parameters, got ${parameters.length}`);
    }
    this.#parameters.set(parameters);
    const { y, uv } = await this.#session.run(this.#feeds);
    const frame = this.#frames[this.#turn];
    this.#turn = 1 - this.#turn;
    pasteI420(frame, { y: y.data as Uint8Array, uv: uv.data as Uint8Array }, this.#region);
    return frame;
  }

  close(): Promise<void> {
    this.#closing ??= this.#session.release();
    return this.#closing;
  }
}
