// The mouth of a rig graph: the interior between the lips, and the two layers that meet there.
import type { FacePose } from "../../../shared/face-parameters.ts";
import type { PixelBox } from "../../image/raster.ts";
import { rgbToYuv } from "../../image/yuv.ts";
import { scale } from "../measure/portrait-style.ts";
import { RIG_INPUT_COUNT, RIG_INPUT_INDEX, type RigInputName } from "../rig-inputs.ts";
import type { RenderedPlanes, RigParts } from "../rig-parts.ts";
import { createLayerTexture, ROUNDING } from "../textures/layer-texture.ts";
import { forwardField, inverseField } from "./graph-displacement.ts";
import type { HeadLayer } from "./graph-head.ts";
import { renderInterior } from "./graph-interior.ts";
import { cellCentres, type GraphParts, type GridSize, halfBox, withinBox } from "./graph-parts.ts";
import { storedTexture } from "./graph-texture.ts";

/** Newton steps of the jaw's inverse. Measured on rendered poses; see docs/decisions/0004. */
const JAW_STEPS = 3;

/** How much rounded lips darken the interior. */
const DUSK: FacePose = { pucker: -0.55, funnel: -0.4 };
const DARKEST = 0.25;
const UPPER_LIP_SHADE = 0.4;
const LOWER_LIP_SHADE = 0.28;
const CONTACT_SHADE = 0.3;

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
export function renderMouth(parts: GraphParts, rig: RigParts, inputs: string, head: HeadLayer): RenderedPlanes {
  const { boxes } = rig.layers;
  const { mouth: box } = boxes;
  const size = { rows: box.heightPx, columns: box.widthPx };
  const upper = upperLayer(parts, rig, head);
  const lower = lowerLayer(parts, rig, inputs);
  const inner = renderInterior(parts, rig, inputs);
  const light = duskFactor(parts, inputs);
  const dark = rgbToYuv(...scale(rig.cavity, [0.8, 0.8, 0.8]));
  const black = rgbToYuv(0, 0, 0);
  const opening = withinBox(boxes.interior, box);

  const compose = (plane: {
    upper: [colour: string, alpha: string, shade: string];
    lower: [colour: string, alpha: string, shade: string];
    inner: string;
    dark: readonly number[];
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
    const behind = parts.mix(constantColour(parts, plane.dark), plane.inner, reached);
    // The lower lip lies in the upper lip's shadow.
    const contact = parts.scaleBy(parts.multiply(upperShade, upperShade), CONTACT_SHADE);
    const lip = parts.mix(lowerColour, constantColour(parts, plane.black), contact);
    const open = parts.mix(behind, inOpening(lip), inOpening(lowerAlpha));
    return parts.mix(parts.paste(lip, plane.size, open, plane.box), upperColour, upperAlpha);
  };
  const [innerY, innerUv] = parts.split(inner, [4, 2]);
  const y = compose({
    upper: [upper.luma, upper.alpha, upper.shade],
    lower: [lower.luma, lower.alpha, lower.shade],
    inner: parts.unfoldBlocks(innerY, opening),
    dark: dark.slice(0, 1),
    black: black.slice(0, 1),
    box: opening,
    size,
  });
  const uv = compose({
    upper: [upper.chroma, upper.halfAlpha, upper.halfShade],
    lower: [lower.chroma, lower.halfAlpha, lower.halfShade],
    inner: innerUv,
    dark: dark.slice(1),
    black: black.slice(1),
    box: halfBox(opening),
    size: { rows: size.rows / 2, columns: size.columns / 2 },
  });
  return { y: parts.toBytes(y), uv: parts.toBytes(uv) };
}

/** The head layer in the mouth's box. */
function upperLayer(parts: GraphParts, { layers, lips }: RigParts, head: HeadLayer): PixelLayer {
  const { mouth: box, mouthSource: source } = layers.boxes;
  const here = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), head.box, source);
  const fine = parts.resize(here, [1, 2, box.heightPx, box.widthPx]);
  const grid = parts.add(parts.toGrid(fine), parts.pixelPositions(box, source));
  const texture = createLayerTexture(source, [lips.headColour], [lips.headAlpha, lips.headShade]);
  return pixelLayer(parts, parts.sample(storedTexture(parts, texture), grid));
}

/** Lower lip and chin. */
function lowerLayer(parts: GraphParts, { layers, lips }: RigParts, inputs: string): PixelLayer {
  const { mouth: box } = layers.boxes;
  const inverse = inverseField(parts, forwardField(parts, inputs, layers.jaw), layers.jaw, JAW_STEPS, "border");
  const fine = parts.resize(inverse, [1, 2, box.heightPx, box.widthPx]);
  const grid = parts.add(parts.toGrid(fine), parts.grid(cellCentres(box.widthPx), cellCentres(box.heightPx)));
  const texture = createLayerTexture(box, [lips.jawColour], [lips.jawAlpha, lips.jawShade]);
  return pixelLayer(parts, parts.sample(storedTexture(parts, texture), grid));
}

/** Splits a sampled pixel texture of Y, U, V, alpha and shade. */
function pixelLayer(parts: GraphParts, sampled: string): PixelLayer {
  const [luma, , alpha, shade] = parts.split(sampled, [1, 2, 1, 1]);
  const [, chroma, halfAlpha, halfShade] = parts.split(parts.halve(sampled), [1, 2, 1, 1]);
  return { luma, alpha, shade, chroma, halfAlpha, halfShade };
}

/** Light behind the lips, scalar [1, 1, 1, 1]: 1, and less as they round. */
function duskFactor(parts: GraphParts, inputs: string): string {
  const { builder } = parts;
  const weights = new Float32Array(RIG_INPUT_COUNT);
  for (const [name, weight] of Object.entries(DUSK)) weights[RIG_INPUT_INDEX[name as RigInputName]] = weight;
  const change = builder.node("MatMul", [inputs, builder.constant(weights, [RIG_INPUT_COUNT, 1])]);
  const light = parts.clip(parts.add(change, builder.scalar(1)), DARKEST, 1);
  return builder.node("Reshape", [light, builder.ints(1, 1, 1, 1)]);
}

/** One colour as a tensor for mixing with textures: [1, channels, 1, 1]. */
function constantColour(parts: GraphParts, values: readonly number[]): string {
  const rounding = values.map((value) => value + ROUNDING);
  return parts.builder.constant(rounding, [1, values.length, 1, 1]);
}
