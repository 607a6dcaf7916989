// Person segmentation.
import { createPlane, type Plane, type RgbImage } from "../../signal/image/raster.ts";
import { resize } from "../../signal/image/resize.ts";
import type { InferenceRuntime, InferenceSession } from "../../signal/inference/inference-runtime.ts";

const INPUT_PX = 256;

/** The selfie segmentation network. Input `input_1` float32 [1,256,256,3] in 0..1; output `activation_10` [1,256,256,1]
 *  in 0..1. */
export class PersonSegmenter {
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;

  private constructor(runtime: InferenceRuntime, session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /** Throws what the runtime throws for a graph that it refuses. */
  static async load(runtime: InferenceRuntime, model: Uint8Array): Promise<PersonSegmenter> {
    return new PersonSegmenter(runtime, await runtime.createSession(model));
  }

  /** Probability of person, 0..1, one channel of the image's size. Takes about 30 ms. */
  async segment(image: RgbImage): Promise<Plane> {
    const isLarge = Math.max(image.widthPx, image.heightPx) > INPUT_PX;
    const pixels = resize(image, { widthPx: INPUT_PX, heightPx: INPUT_PX }, isLarge ? "area" : "bilinear").data;
    for (let i = 0; i < pixels.length; i++) pixels[i] /= 255;
    const input = new this.#runtime.Tensor("float32", pixels, [1, INPUT_PX, INPUT_PX, 3]);
    const outputs = await this.#session.run({ input_1: input });
    const mask = createPlane(INPUT_PX, INPUT_PX, 1, outputs.activation_10.data as Float32Array);
    return resize(mask, image, "bilinear");
  }

  /** Releases the network. Once. */
  close(): Promise<void> {
    return this.#session.release();
  }
}
