// What the options of commands that bake an image name: canvas, background and face points.
import { type Background, type Colour, TRANSPARENT } from "../../../src/face/figure/background.ts";
import { CANVAS_SIZES, type CanvasSize, HD_CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { readInput } from "../../terminal/read-input.ts";
import type { ImageRequest } from "./image-options.ts";
import { type PlacedFace, readPlacedFace } from "./placed-face.ts";

/** Longest side of a background image that is kept: more than any canvas shows. */
const BACKGROUND_SIDE_PX = 2048;

export interface ResolvedImage {
  canvas: CanvasSize;
  background: Background;
  placedFace?: PlacedFace;
}

/** Reads canvas, background and face points. Throws CliError `usage` for an invalid background, and what
 *  `readPlacedFace`, `readInput` and `decodeImage` throw. */
export async function resolveImage(request: ImageRequest): Promise<ResolvedImage> {
  const sizes = request.hd ? HD_CANVAS_SIZES : CANVAS_SIZES;
  return {
    canvas: sizes[request.aspect],
    background: await resolveBackground(request.background),
    ...(request.points ? { placedFace: await readPlacedFace(request.points) } : {}),
  };
}

async function resolveBackground(what: string): Promise<Background> {
  if (what === "keep" || what === "blur") return { kind: what };
  if (what === "transparent") return TRANSPARENT;
  if (!what.startsWith("#")) {
    return { kind: "image", image: await decodeImage(await readInput(what), { maxSidePx: BACKGROUND_SIDE_PX }) };
  }
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(what);
  if (!digits) throw new CliError("usage", `--background ${what} is not a color: use #rrggbb, such as #204060.`);
  const [red, green, blue] = digits.slice(1).map((pair) => Number.parseInt(pair, 16));
  return { kind: "colour", colour: [red, green, blue] satisfies Colour };
}
