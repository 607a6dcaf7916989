// Opens a bundle for rendering. Works wherever an inference runtime does: Node and browsers.

import { EngineError } from "../../../shared/engine-error.ts";
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import type { Imx } from "../imx/imx.ts";
import type { Avatar } from "./avatar.ts";
import { decodeCanvas } from "./canvas-png.ts";
import type { FrameRenderer } from "./frame-renderer.ts";
import { GraphRenderer } from "./graph-renderer.ts";
import { openRigExecutor } from "./rig-executor/open-rig-executor.ts";

export interface OpenAvatarOptions {
  /** `own`: the executor in `rig-executor/`, on processors, if it knows the graph; otherwise ONNX Runtime. `runtime`:
   *  ONNX Runtime, the reference. Default `own`. */
  executor?: "own" | "runtime";
}

/** Opens the avatar and renders once as a warm-up: on a processor with the executor, which needs no ONNX Runtime; on a
 *  GPU, and for a rig that the executor does not know, with the graph. Throws EngineError(bundle-invalid) if the canvas
 *  cannot be read, the runtime refuses the graph, or it renders anything but the planes of the region. */
export async function openAvatar(
  imx: Imx,
  runtime: InferenceRuntime,
  options: OpenAvatarOptions = {},
): Promise<Avatar> {
  const canvas = await decodeCanvas(imx.canvas);
  const executor = options.executor === "runtime" ? null : await openRigExecutor(imx, runtime, canvas);
  const avatar = new RenderedAvatar(imx, canvas, executor ?? (await openGraph(imx, runtime, canvas)));
  try {
    await avatar.render(new Float32Array(FACE_PARAMETER_COUNT));
    return avatar;
  } catch (cause) {
    await avatar.close();
    throw new EngineError("bundle-invalid", "The rig of the .imx does not render a face region.", { cause });
  }
}

async function openGraph(imx: Imx, runtime: InferenceRuntime, canvas: I420Frame): Promise<GraphRenderer> {
  const session = await runtime.createSession(imx.rig).catch((cause: unknown) => {
    throw new EngineError("bundle-invalid", "The rig of the .imx cannot be loaded.", { cause });
  });
  return new GraphRenderer(imx, runtime, session, canvas);
}

class RenderedAvatar implements Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly restPose: Avatar["restPose"];
  readonly gestures: Avatar["gestures"];
  readonly gestureFace: Avatar["gestureFace"];
  readonly headMotion: number;
  readonly renderedBy: Avatar["renderedBy"];
  readonly #renderer: FrameRenderer;

  constructor({ manifest, gestures }: Imx, { widthPx, heightPx }: I420Frame, renderer: FrameRenderer) {
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.restPose = manifest.restPose;
    this.gestures = gestures;
    this.gestureFace = manifest.gestureFace;
    this.headMotion = manifest.headMotion;
    this.renderedBy = renderer instanceof GraphRenderer ? "runtime" : "executor";
    this.#renderer = renderer;
  }

  async render(parameters: Float32Array, breath = 1): Promise<I420Frame> {
    if (parameters.length !== FACE_PARAMETER_COUNT) {
      throw new RangeError(`a pose has ${FACE_PARAMETER_COUNT} parameters, got ${parameters.length}`);
    }
    return this.#renderer.render(parameters, breath);
  }

  close(): Promise<void> {
    return this.#renderer.close();
  }
}
