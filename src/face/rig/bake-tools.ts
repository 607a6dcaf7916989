// What a bake needs of the place where it runs.
import type { GreyImage, RgbImage } from "../../signal/image/raster.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";

/** Node has them in `node-bake-tools.ts`; a browser tab brings its own codecs, and network files that it fetched. */
export interface BakeTools {
  /** Runs the segmenter, and renders the poster. */
  runtime: InferenceRuntime;
  /** The network that tells person from background, as an ONNX file. */
  segmenter: Uint8Array;
  /** A PNG without loss: 8 bits, grey. */
  encodePng(image: GreyImage): Promise<Uint8Array>;
  encodeJpeg(image: RgbImage): Promise<Uint8Array>;
}
