// Writes the graph of one face: 21 parameters in, one picture of the region out, as planes that WebRTC takes.
//
// Back to front: dark of the mouth, tongue, lower teeth, upper teeth, jaw layer (lower lip and chin), head layer (everything else),
// upper lids. Each layer is the photo, sampled where the inverse of its displacement field says. See docs/decisions/0004.
import { FACE_PARAMETER_COUNT, type FacePose } from "../../shared/face-parameters.ts";
import type { PixelBox } from "../image/raster.ts";
import { rgbToYuv } from "../image/yuv.ts";
import { GraphBuilder } from "../onnx/graph-builder.ts";
import { batchTextures, createBlockTexture, createPixelTexture } from "./block-texture.ts";
import type { EyeballTextures } from "./eyeball-textures.ts";
import { forwardField, gazeShift, interiorGrid, inverseField, lidField } from "./graph-displacement.ts";
import { blockStarts, cellCentres, GraphParts, type GridSize, halfBox } from "./graph-parts.ts";
import type { LidTextures } from "./lid-textures.ts";
import type { LipTextures } from "./lip-textures.ts";
import type { InteriorLayer, MouthInterior } from "./mouth-interior.ts";
import { type Rgb, scale } from "./portrait-style.ts";
import { RIG_INPUT_COUNT, RIG_INPUT_INDEX, type RigInputName, rigInputs } from "./rig-inputs.ts";
import type { RigLayers } from "./rig-layers.ts";

/** Everything that a rig graph is written from. Textures have the region's size. */
export interface RigParts {
  regionPx: number;
  layers: RigLayers;
  lips: LipTextures;
  lids: LidTextures;
  eyeballs: EyeballTextures;
  interior: MouthInterior;
  cavity: Rgb;
}

/** Newton steps of the inverse. Measured on rendered poses; see docs/decisions/0004. */
const HEAD_STEPS = 2;
const JAW_STEPS = 3;

/** How much darker it gets behind rounded lips. */
const DUSK: FacePose = { pucker: -0.55, funnel: -0.25 };
const DARKEST = 0.25;
const UPPER_LIP_SHADE = 0.4;
const LOWER_LIP_SHADE = 0.28;
const CONTACT_SHADE = 0.3;

/** Bytes of the ONNX file. Input `params` float32 [1, 21]; outputs `y` uint8 [1, 1, R, R] and `uv` uint8 [1, 2, R/2, R/2], BT.601 limited
 *  range, R being the region's side. Operators of opset 16 only. */
export function writeRigGraph(rig: RigParts, producerVersion: string): Uint8Array {
  const { regionPx } = rig;
  const half = regionPx / 2;
  const builder = new GraphBuilder("rig");
  const parts = new GraphParts(builder);
  const parameters = builder.input("params", "float32", [1, FACE_PARAMETER_COUNT]);
  builder.output("y", "uint8", [1, 1, regionPx, regionPx]);
  builder.output("uv", "uint8", [1, 2, half, half]);

  const inputs = rigInputs(parts, parameters);
  const head = drawHead(parts, rig, inputs);
  const mouth = drawMouth(parts, rig, inputs, head);
  const eyes = drawEyes(parts, rig, inputs, head);

  let y = parts.toBytes(parts.unfoldBlocks(parts.channels(head.picture, 0, 4)));
  let uv = parts.toBytes(parts.channels(head.picture, 4, 6));
  for (const patch of [mouth, eyes]) {
    y = parts.paste(y, { rows: regionPx, columns: regionPx }, patch.y, patch.box);
    uv = parts.paste(uv, { rows: half, columns: half }, patch.uv, halfBox(patch.box));
  }
  builder.node("Identity", [y], {}, "y");
  builder.node("Identity", [uv], {}, "uv");
  return builder.toModel({ producer: { name: "open-avatar-service", version: producerVersion } });
}

interface Head {
  /** [1, 6, R/2, R/2]: four lumas, U, V. */
  picture: string;
  /** Inverse displacement at blocks [1, 2, R/2, R/2], and on the coarse grid. */
  displacement: string;
  inverse: string;
}

function drawHead(parts: GraphParts, rig: RigParts, inputs: string): Head {
  const { regionPx, layers } = rig;
  const half = regionPx / 2;
  const inverse = inverseField(parts, forwardField(parts, inputs, layers.head), layers.head, HEAD_STEPS, "zeros");
  const fine = parts.resize(inverse, [1, 2, half, half]);
  const blocks = blockStarts(regionPx);
  const grid = parts.add(parts.toGrid(fine), parts.grid(blocks, blocks));
  const texture = createBlockTexture(wholeRegion(regionPx), { colour: rig.lips.headColour });
  return { picture: parts.sample(parts.texture(texture), grid), displacement: fine, inverse };
}

interface Patch {
  box: PixelBox;
  /** [1, 1, h, w] and [1, 2, h/2, w/2]. */
  y: string;
  uv: string;
}

/** A layer drawn at every pixel of a box: luma, alpha and shade [1, 1, h, w] each, and the same at half the size with its chroma. */
interface PixelLayer {
  luma: string;
  alpha: string;
  shade: string;
  chroma: string;
  halfAlpha: string;
  halfShade: string;
}

/** The mouth is drawn at every pixel: near its corners neighbouring pixels move so differently that blocks would show as steps. */
function drawMouth(parts: GraphParts, rig: RigParts, inputs: string, head: Head): Patch {
  const { layers, lips, regionPx } = rig;
  const { mouth: box, mouthSource } = layers.boxes;
  const size = { rows: box.heightPx, columns: box.widthPx };
  const shape = [1, 2, size.rows, size.columns];

  const inSource = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), wholeRegion(regionPx), mouthSource);
  const headGrid = parts.add(parts.toGrid(parts.resize(inSource, shape)), pixelGrid(parts, box, mouthSource));
  const headTexture = createPixelTexture(mouthSource, [lips.headColour], [lips.headAlpha, lips.headShade]);
  const upper = pixelLayer(parts, parts.sample(parts.texture(headTexture), headGrid));

  const inverse = inverseField(parts, forwardField(parts, inputs, layers.jaw), layers.jaw, JAW_STEPS, "border");
  const jawHere = parts.toGrid(parts.resize(inverse, shape));
  const jawGrid = parts.add(jawHere, parts.grid(cellCentres(size.columns), cellCentres(size.rows)));
  const jawTexture = createPixelTexture(box, [lips.jawColour], [lips.jawAlpha, lips.jawShade]);
  const lower = pixelLayer(parts, parts.sample(parts.texture(jawTexture), jawGrid));

  const inner = drawInterior(parts, rig, inputs);
  const light = duskFactor(parts, inputs);
  const dark = scale(rig.cavity, [0.8, 0.8, 0.8]);
  const [darkY, darkU, darkV] = rgbToYuv(...dark);
  const [blackY, blackU, blackV] = rgbToYuv(0, 0, 0);
  const opening = { ...layers.boxes.interior };
  opening.x -= box.x;
  opening.y -= box.y;

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
    // Little light gets past the lips, least under the upper one and behind rounded ones.
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
  const y = compose({
    upper: [upper.luma, upper.alpha, upper.shade],
    lower: [lower.luma, lower.alpha, lower.shade],
    inner: parts.unfoldBlocks(parts.channels(inner, 0, 4)),
    dark: [darkY],
    black: [blackY],
    box: opening,
    size,
  });
  const uv = compose({
    upper: [upper.chroma, upper.halfAlpha, upper.halfShade],
    lower: [lower.chroma, lower.halfAlpha, lower.halfShade],
    inner: parts.channels(inner, 4, 6),
    dark: [darkU, darkV],
    black: [blackU, blackV],
    box: halfBox(opening),
    size: { rows: size.rows / 2, columns: size.columns / 2 },
  });
  return { box, y: parts.toBytes(y), uv: parts.toBytes(uv) };
}

/** Splits a sampled pixel texture of Y, U, V, alpha and shade. */
function pixelLayer(parts: GraphParts, sampled: string): PixelLayer {
  const halves = parts.halve(parts.channels(sampled, 1, 5));
  const masks = parts.scaleBy(parts.channels(sampled, 3, 5), 1 / 255);
  const halfMasks = parts.scaleBy(parts.channels(halves, 2, 4), 1 / 255);
  return {
    luma: parts.channels(sampled, 0, 1),
    alpha: parts.channels(masks, 0, 1),
    shade: parts.channels(masks, 1, 2),
    chroma: parts.channels(halves, 0, 2),
    halfAlpha: parts.channels(halfMasks, 0, 1),
    halfShade: parts.channels(halfMasks, 1, 2),
  };
}

/** Teeth and tongue over the dark, at blocks of the interior's box [1, 6, h/2, w/2]: they move as boards, which blocks follow exactly. */
function drawInterior(parts: GraphParts, rig: RigParts, inputs: string): string {
  const { layers, interior, cavity } = rig;
  const box = layers.boxes.interior;
  const backToFront = [interior.tongue, interior.lowerTeeth, interior.upperTeeth];
  const texture = batchTextures(backToFront.map((layer) => interiorTexture(box, layer)));
  const identity = parts.grid(blockStarts(box.widthPx), blockStarts(box.heightPx));
  const grid = interiorGrid(parts, inputs, [layers.tongue, layers.lowerTeeth, layers.upperTeeth], box, identity);
  const sampled = parts.sample(parts.texture(texture, texture.count), grid);
  const [y, u, v] = rgbToYuv(...cavity);
  let picture = constantColour(parts, [y, y, y, y, u, v]);
  backToFront.forEach((_, index) => {
    const layer = parts.item(sampled, index);
    picture = parts.mix(picture, parts.channels(layer, 0, 6), blockAlpha(parts, layer, 6, 10));
  });
  return picture;
}

/** Both eyes, drawn at every pixel: blocks would show as steps round a moving iris and as dots where a closing lid stretches its skin. */
function drawEyes(parts: GraphParts, rig: RigParts, inputs: string, head: Head): Patch {
  const { builder } = parts;
  const table = rig.layers.lids;
  const { box } = table;
  const blinks = builder.ints(RIG_INPUT_INDEX.blinkL, RIG_INPUT_INDEX.blinkR);
  const closures = parts.clip(builder.node("Gather", [inputs, blinks], { axis: 1 }), 0, 1);
  const field = lidField(parts, head.inverse, rig.regionPx, table, closures);
  const source = rig.layers.boxes.eyesSource;
  const fine = parts.resize(parts.scaleAxes(field, box, source), [1, 2, box.heightPx, box.widthPx]);
  const { openColour, closedColour, alphas } = rig.lids;
  const texture = parts.texture(createPixelTexture(source, [openColour, closedColour], alphas));
  const lids = parts.sample(texture, parts.add(parts.toGrid(fine), pixelGrid(parts, box, source)));
  const open = parts.channels(lids, 0, 3);
  const change = parts.subtract(parts.channels(lids, 3, 6), open);
  const masks = parts.scaleBy(parts.channels(lids, 6, 8), 1 / 255);
  const covers = sumOfChannels(parts, masks);
  const shut = sumOfChannels(
    parts,
    parts.multiply(masks, builder.node("Reshape", [closures, builder.ints(1, 2, 1, 1)])),
  );
  const behind = drawEyeballs(parts, rig, inputs, head);
  const over = (plane: string, from: number, to: number, half: (tensor: string) => string) => {
    const lid = parts.mix(plane, half(parts.channels(open, from, to)), half(covers));
    return parts.add(lid, parts.multiply(half(parts.channels(change, from, to)), half(shut)));
  };
  return {
    box,
    y: parts.toBytes(over(behind.y, 0, 1, (tensor) => tensor)),
    uv: parts.toBytes(over(behind.uv, 1, 3, (tensor) => parts.halve(tensor))),
  };
}

/** [1, 2, h, w] as [1, 1, h, w]. */
function sumOfChannels(parts: GraphParts, tensor: string): string {
  const ones = parts.builder.constant([1, 1], [1, 2, 1, 1]);
  return parts.builder.node("Conv", [tensor, ones], { kernel_shape: [1, 1] });
}

/** The head inside the eyes' box, with the eyeballs turned by the gaze in the openings between the lids. */
function drawEyeballs(parts: GraphParts, rig: RigParts, inputs: string, head: Head): Omit<Patch, "box"> {
  const { layers, eyeballs, regionPx } = rig;
  const { eyes: box, eyesSource: source } = layers.boxes;
  const here = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), wholeRegion(regionPx), source);
  const fine = parts.resize(here, [1, 2, box.heightPx, box.widthPx]);
  const grid = parts.add(parts.toGrid(fine), pixelGrid(parts, box, source));
  const turned = parts.subtract(grid, gazeShift(parts, inputs, layers.gaze, source));
  const ball = parts.sample(parts.texture(createPixelTexture(source, [eyeballs.colour], [])), turned);
  const opening = parts.sample(parts.texture(createPixelTexture(source, [], [eyeballs.opening])), grid);
  const shows = parts.scaleBy(opening, 1 / 255);
  const around = parts.crop(head.picture, halfBox(box));
  const luma = parts.unfoldBlocks(parts.channels(around, 0, 4));
  return {
    y: parts.mix(luma, parts.channels(ball, 0, 1), shows),
    uv: parts.mix(parts.channels(around, 4, 6), parts.halve(parts.channels(ball, 1, 3)), parts.halve(shows)),
  };
}

/** Light behind the lips, scalar [1, 1, 1, 1]: 1, less as they round. */
function duskFactor(parts: GraphParts, inputs: string): string {
  const { builder } = parts;
  const weights = new Float32Array(RIG_INPUT_COUNT);
  for (const [name, weight] of Object.entries(DUSK)) weights[RIG_INPUT_INDEX[name as RigInputName]] = weight;
  const change = builder.node("MatMul", [inputs, builder.constant(weights, [RIG_INPUT_COUNT, 1])]);
  const light = parts.clip(parts.add(change, builder.scalar(1)), DARKEST, 1);
  return builder.node("Reshape", [light, builder.ints(1, 1, 1, 1)]);
}

/** Alpha of a block texture's four places, as [1, 6, …] 0..1: the chroma gets their mean. `channel` is the first of the four among `count`. A
 *  convolution of one pixel picks, averages and scales at once. */
function blockAlpha(parts: GraphParts, tensor: string, channel: number, count: number): string {
  const { builder } = parts;
  const weights = new Float32Array(6 * count);
  for (let place = 0; place < 4; place++) {
    weights[place * count + channel + place] = 1 / 255;
    for (const chroma of [4, 5]) weights[chroma * count + channel + place] = 1 / (4 * 255);
  }
  return builder.node("Conv", [tensor, builder.constant(weights, [6, count, 1, 1])], { kernel_shape: [1, 1] });
}

/** One value a channel as [1, channels, 1, 1]. */
function constantColour(parts: GraphParts, values: readonly number[]): string {
  return parts.builder.constant(values, [1, values.length, 1, 1]);
}

/** Positions of a box's pixels in a texture of another box, [1, h, w, 2]. */
function pixelGrid(parts: GraphParts, box: PixelBox, texture: PixelBox): string {
  const positions = (start: number, count: number, textureStart: number, texturePx: number) =>
    Array.from({ length: count }, (_, index) => ((start + index + 0.5 - textureStart) * 2) / texturePx - 1);
  return parts.grid(
    positions(box.x, box.widthPx, texture.x, texture.widthPx),
    positions(box.y, box.heightPx, texture.y, texture.heightPx),
  );
}

function interiorTexture(box: PixelBox, layer: InteriorLayer) {
  return createBlockTexture(box, { colour: layer.colour, sharp: [layer.alpha] });
}

function wholeRegion(regionPx: number): PixelBox {
  return { x: 0, y: 0, widthPx: regionPx, heightPx: regionPx };
}
