// The avatar that measurements render.
import { openGallery } from "../../../api/agents/portraits/gallery.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { CanvasSize } from "../../../src/face/figure/canvas-sizes.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";

/** The first portrait of the gallery, baked. */
export async function bakeFirst(runtime: InferenceRuntime, family: ModelFamily, canvas: CanvasSize): Promise<Imx> {
  const gallery = await openGallery();
  const { bytes, points } = await gallery.load(gallery.entries[0].id);
  return (await bakeImx(await decodeImage(bytes), { points }, await loadBakeTools(runtime), { family, canvas })).imx;
}
