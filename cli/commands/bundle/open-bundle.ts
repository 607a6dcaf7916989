// Opens the file that a command was given: an `.imx` bundle, or an image, which is baked first.
import type { Imx } from "../../../src/face/imx/imx.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { isImx } from "../../terminal/read-input.ts";
import type { BakeImageOptions } from "./bake-image.ts";

/** The bundle in the bytes of a file. Throws EngineError if they hold neither a bundle nor a suitable
 *  image. */
export async function openBundle(bytes: Uint8Array, options: BakeImageOptions): Promise<Imx> {
  if (isImx(bytes)) return readImx(bytes);
  const { bakeImage } = await import("./bake-image.ts");
  return bakeImage(bytes, options);
}
