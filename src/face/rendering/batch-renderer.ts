// Renders many frames of one avatar per call, which is efficient on a GPU. Audio, clock and room are up to the callers.

import { EngineError } from "../../../shared/engine-error.ts";
import { FACE_PARAMETER_COUNT, firstParameters } from "../../../shared/face-parameters.ts";
import type { InferenceRuntime, InferenceSession } from "../../signal/inference/inference-runtime.ts";
import type { Imx } from "../imx/imx.ts";
import { batchRig } from "./batch-rig.ts";

/** Planes of the face regions of a batch, one frame after the other. */
export interface BatchPlanes {
  /** uint8 [batch × region × region] luma. */
  y: Uint8Array;
  /** uint8 [batch × 2 × region/2 × region/2] chroma. */
  uv: Uint8Array;
}

/** The rig of one avatar with a batch axis. */
export class BatchRenderer {
  /** Frames per call. */
  readonly batch: number;
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;
  /** Parameters of a frame that the rig takes: in files of earlier versions the first ones. */
  readonly #width: number;
  #closing: Promise<void> | undefined;

  private constructor(runtime: InferenceRuntime, session: InferenceSession, batch: number, width: number) {
    this.#runtime = runtime;
    this.#width = width;
    this.#session = session;
    this.batch = batch;
  }

  /** Throws RangeError for a batch below one, EngineError(unavailable) if the runtime refuses the graph. */
  static async open(imx: Imx, runtime: InferenceRuntime, batch: number): Promise<BatchRenderer> {
    const graph = batchRig(imx.rig, batch);
    const session = await runtime.createSession(graph).catch((cause: unknown) => {
      throw new EngineError("unavailable", `The rig does not load on ${runtime.provider}.`, { cause });
    });
    return new BatchRenderer(runtime, session, batch, imx.manifest.parameters.length);
  }

  /** Renders `batch` frames. `parameters`: float32 [batch × 33], rest pose included. The planes are valid until the
   *  next call. Throws RangeError for another length. */
  async render(parameters: Float32Array): Promise<BatchPlanes> {
    if (parameters.length !== this.batch * FACE_PARAMETER_COUNT) {
      throw new RangeError(`${this.batch} poses have ${this.batch * FACE_PARAMETER_COUNT} parameters`);
    }
    const taken = firstParameters(parameters, this.#width);
    const params = new this.#runtime.Tensor("float32", taken, [this.batch, this.#width]);
    const planes = await this.#session.run({ params });
    return { y: planes.y.data as Uint8Array, uv: planes.uv.data as Uint8Array };
  }

  /** Releases the graph. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#session.release();
    return this.#closing;
  }
}
