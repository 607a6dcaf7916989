// The mouth of a rig graph: the interior between the lips, and the two layers that meet there.
import type { FacePose } from "../../../shared/face-parameters.ts";
import type { PixelBox } from "../../signal/image/raster.ts";
import { rgbToYuv } from "../../signal/image/yuv.ts";
import { forwardField, inverseField } from "./graph-displacement.ts";
import type { HeadLayer } from "./graph-head.ts";
import { renderInterior } from "./graph-interior.ts";
import { cellCentres, type GraphParts, type GridSize, halfBox, withinBox } from "./graph-parts.ts";
import { storedTexture } from "./graph-texture.ts";
import type { RenderedPlanes } from "./rendered-planes.ts";
import { ROUNDING } from "./rig-data.ts";
import { inputWeights, rigInputCount } from "./rig-inputs.ts";
import type { RigShape } from "./rig-shape.ts";

/** Newton steps of the jaw's inverse. Measured on rendered poses; see docs/decisions/0004. */
export const JAW_STEPS = 3;

/** How much rounded lips darken the interior. */
export const DUSK: FacePose = { pucker: -0.55, funnel: -0.4 };
export const DARKEST = 0.25;
export const UPPER_LIP_SHADE = 0.4;
export const LOWER_LIP_SHADE = 0.28;
export const CONTACT_SHADE = 0.3;
/** Y, U, V, with `ROUNDING`. */
export const BLACK = rgbToYuv(0, 0, 0).map((value) => value + ROUNDING);

/** A layer rendered at every pixel of a box: luma, alpha and shade [1, 1, h, w] each, and the same at half the size
 *  with its chroma. */
interface PixelLayer {
  luma: string;
  alpha: string;
  shade: string;
  chroma: string;
  halfAlpha: string;
  halfShade: string;
}

/** Everything inside the mouth's box. It is rendered at every pixel, because near the corners neighbouring pixels move
 *  so differently that blocks would be visible as steps. */
export function renderMouth(parts: GraphParts, shape: RigShape, inputs: string, head: HeadLayer): RenderedPlanes {
  const { mouth: box, interior } = shape.boxes;
  const size = { rows: box.heightPx, columns: box.widthPx };
  const upper = upperLayer(parts, shape, head);
  const lower = lowerLayer(parts, shape, inputs);
  const inner = renderInterior(parts, shape, inputs);
  const light = duskFactor(parts, shape, inputs);
  const opening = withinBox(interior, box);

  const compose = (plane: {
    upper: [colour: string, alpha: string, shade: string];
    lower: [colour: string, alpha: string, shade: string];
    inner: string;
    dark: "darkLuma" | "darkChroma";
    black: readonly number[];
    box: PixelBox;
    size: GridSize;
  }) => {
    const [upperColour, upperAlpha, upperShade] = plane.upper;
    const [lowerColour, lowerAlpha, lowerShade] = plane.lower;
    const inOpening = (tensor: string) => parts.crop(tensor, plane.box);
    // Little light passes the lips, least of all under the upper lip and behind rounded lips.
    const underUpper = parts.oneMinus(inOpening(upperShade), UPPER_LIP_SHADE);
    const overLower = parts.oneMinus(inOpening(lowerShade), LOWER_LIP_SHADE);
    const reached = parts.multiply(parts.multiply(underUpper, overLower), light);
    const colour = [1, plane.black.length, 1, 1];
    const dark = parts.data(plane.dark, colour);
    const behind = parts.mix(dark, plane.inner, reached);
    // The lower lip lies in the upper lip's shadow.
    const contact = parts.scaleBy(parts.multiply(upperShade, upperShade), CONTACT_SHADE);
    const lip = parts.mix(lowerColour, parts.builder.constant(plane.black, colour), contact);
    const open = parts.mix(behind, inOpening(lip), inOpening(lowerAlpha));
    return parts.mix(parts.paste(lip, plane.size, open, plane.box), upperColour, upperAlpha);
  };
  const [innerY, innerUv] = parts.split(inner, [4, 2]);
  const y = compose({
    upper: [upper.luma, upper.alpha, upper.shade],
    lower: [lower.luma, lower.alpha, lower.shade],
    inner: parts.unfoldBlocks(innerY, opening),
    dark: "darkLuma",
    black: BLACK.slice(0, 1),
    box: opening,
    size,
  });
  const uv = compose({
    upper: [upper.chroma, upper.halfAlpha, upper.halfShade],
    lower: [lower.chroma, lower.halfAlpha, lower.halfShade],
    inner: innerUv,
    dark: "darkChroma",
    black: BLACK.slice(1),
    box: halfBox(opening),
    size: { rows: size.rows / 2, columns: size.columns / 2 },
  });
  return { y: parts.toBytes(y), uv: parts.toBytes(uv) };
}

/** The head layer in the mouth's box. */
function upperLayer(parts: GraphParts, { boxes }: RigShape, head: HeadLayer): PixelLayer {
  const { mouth: box, mouthSource: source } = boxes;
  const here = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), head.box, source);
  const fine = parts.resize(here, [1, 2, box.heightPx, box.widthPx]);
  const grid = parts.add(parts.toGrid(fine), parts.pixelPositions(box, source));
  return pixelLayer(parts, parts.sample(storedTexture(parts, "upperLip", source, { masks: 2 }), grid));
}

/** Lower lip and chin. */
function lowerLayer(parts: GraphParts, shape: RigShape, inputs: string): PixelLayer {
  const { mouth: box } = shape.boxes;
  const forward = forwardField(parts, "jawField", shape, inputs);
  const inverse = inverseField(parts, forward, shape.jaw, JAW_STEPS, "border");
  const fine = parts.resize(inverse, [1, 2, box.heightPx, box.widthPx]);
  const grid = parts.add(parts.toGrid(fine), parts.grid(cellCentres(box.widthPx), cellCentres(box.heightPx)));
  return pixelLayer(parts, parts.sample(storedTexture(parts, "lowerLip", box, { masks: 2 }), grid));
}

/** Splits a sampled pixel texture of Y, U, V, alpha and shade. */
function pixelLayer(parts: GraphParts, sampled: string): PixelLayer {
  const [luma, , alpha, shade] = parts.split(sampled, [1, 2, 1, 1]);
  const [, chroma, halfAlpha, halfShade] = parts.split(parts.halve(sampled), [1, 2, 1, 1]);
  return { luma, alpha, shade, chroma, halfAlpha, halfShade };
}

/** Light behind the lips, scalar [1, 1, 1, 1]: 1, and less as they round. */
function duskFactor(parts: GraphParts, { parameterCount }: RigShape, inputs: string): string {
  const { builder } = parts;
  const weights = builder.constant(inputWeights(DUSK, parameterCount), [rigInputCount(parameterCount), 1]);
  const change = builder.node("MatMul", [inputs, weights]);
  const light = parts.clip(parts.add(change, builder.scalar(1)), DARKEST, 1);
  return builder.node("Reshape", [light, builder.ints(1, 1, 1, 1)]);
}
