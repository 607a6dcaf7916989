// Writes the graph of one face: 21 parameters in, one picture of the region out, as planes that WebRTC takes.
//
// Back to front: dark of the mouth, tongue, lower teeth, upper teeth, jaw layer (lower lip and chin), head layer (everything else),
// upper lids. Each layer is the photo, sampled where the inverse of its displacement field says. See docs/decisions/0004.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX, type FacePose } from "../../shared/face-parameters.ts";
import type { PixelBox } from "../image/raster.ts";
import { rgbToYuv } from "../image/yuv.ts";
import { GraphBuilder } from "../onnx/graph-builder.ts";
import { batchTextures, createBlockTexture, createPixelTexture } from "./block-texture.ts";
import { forwardField, interiorGrid, inverseField, lidField } from "./graph-displacement.ts";
import { blockStarts, cellCentres, GraphParts, halfBox } from "./graph-parts.ts";
import type { LidTextures } from "./lid-textures.ts";
import type { LipTextures } from "./lip-textures.ts";
import type { InteriorLayer, MouthInterior } from "./mouth-interior.ts";
import type { Rgb } from "./portrait-style.ts";
import type { RigBoxes } from "./rig-boxes.ts";
import type { RigLayers } from "./rig-layers.ts";

/** Everything that a rig graph is written from. Textures have the region's size. */
export interface RigParts {
  regionPx: number;
  layers: RigLayers;
  lips: LipTextures;
  lids: LidTextures;
  interior: MouthInterior;
  cavity: Rgb;
}

/** Newton steps of the inverse. Measured on rendered poses; see docs/decisions/0004. */
const HEAD_STEPS = 2;
const JAW_STEPS = 3;

/** How much darker it gets behind rounded lips. */
const DUSK: FacePose = { pucker: -0.55, funnel: -0.25 };
const DARKEST = 0.25;

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

  const head = drawHead(parts, rig, parameters);
  const mouth = drawMouth(parts, rig, parameters, head);
  const eyes = [0, 1].map((side) => drawEye(parts, rig, parameters, head, side as 0 | 1));

  let y = parts.toBytes(parts.unfoldBlocks(parts.channels(head.picture, 0, 4)));
  let uv = parts.toBytes(parts.channels(head.picture, 4, 6));
  for (const patch of [mouth, ...eyes]) {
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
  /** Sampling grid at blocks, and the coarse inverse without the gaze. */
  grid: string;
  inverse: string;
}

function drawHead(parts: GraphParts, rig: RigParts, parameters: string): Head {
  const { regionPx, layers } = rig;
  const half = regionPx / 2;
  const inverse = inverseField(parts, forwardField(parts, parameters, layers.head), layers.head, HEAD_STEPS);
  // Irises move little and stretch little: their displacement, negated, is taken at the point that the head's inverse leads to.
  const identity = parts.grid(cellCentres(layers.head.columns), cellCentres(layers.head.rows));
  const gaze = parts.sample(
    forwardField(parts, parameters, layers.gaze),
    parts.add(parts.toGrid(inverse), identity),
    "border",
  );
  const fine = parts.resize(parts.subtract(inverse, gaze), [1, 2, half, half]);
  const blocks = blockStarts(regionPx);
  const grid = parts.add(parts.toGrid(fine), parts.grid(blocks, blocks));
  const texture = createBlockTexture(wholeRegion(regionPx), { colour: rig.lips.headColour });
  return { picture: parts.sample(parts.texture(texture), grid), grid, inverse };
}

interface Patch {
  box: PixelBox;
  /** uint8 [1, 1, h, w] and [1, 2, h/2, w/2]. */
  y: string;
  uv: string;
}

function drawMouth(parts: GraphParts, rig: RigParts, parameters: string, head: Head): Patch {
  const { layers, lips, regionPx } = rig;
  const box = layers.boxes.mouth;
  const { mouthSource } = layers.boxes;
  const maskTexture = createBlockTexture(mouthSource, { sharp: [lips.headAlpha], smooth: [lips.headShade] });
  const here = parts.cropGrid(head.grid, halfBox(box));
  const mask = parts.sample(parts.texture(maskTexture), parts.gridWithin(here, regionPx, mouthSource));
  const headAlpha = blockAlpha(parts, mask, 0, 5);
  const headShade = parts.scaleBy(parts.channels(mask, 4, 5), 1 / 255);

  const inverse = inverseField(parts, forwardField(parts, parameters, layers.jaw), layers.jaw, JAW_STEPS);
  const fine = parts.resize(inverse, [1, 2, box.heightPx / 2, box.widthPx / 2]);
  const blocks = parts.grid(blockStarts(box.widthPx), blockStarts(box.heightPx));
  const jawTexture = createBlockTexture(box, {
    colour: lips.jawColour,
    sharp: [lips.jawAlpha],
    smooth: [lips.jawShade],
  });
  const jaw = parts.sample(parts.texture(jawTexture), parts.add(parts.toGrid(fine), blocks));
  const jawShade = parts.scaleBy(parts.channels(jaw, 10, 11), 1 / 255);

  const inner = drawInterior(parts, rig, parameters, { headShade, jawShade });
  // The lower lip lies in the upper lip's shadow.
  const contact = parts.scaleBy(parts.multiply(headShade, headShade), 0.3);
  const lowerLip = parts.mix(parts.channels(jaw, 0, 6), blockColour(parts, [0, 0, 0]), contact);
  const opening = interiorInMouth(layers.boxes);
  const jawAlpha = parts.crop(blockAlpha(parts, jaw, 6, 11), opening);
  const behindLip = parts.mix(inner, parts.crop(lowerLip, opening), jawAlpha);
  const size = { rows: box.heightPx / 2, columns: box.widthPx / 2 };
  const below = parts.paste(lowerLip, size, behindLip, opening);
  const picture = parts.mix(below, parts.crop(head.picture, halfBox(box)), headAlpha);
  return {
    box,
    y: parts.toBytes(parts.unfoldBlocks(parts.channels(picture, 0, 4))),
    uv: parts.toBytes(parts.channels(picture, 4, 6)),
  };
}

/** Teeth, tongue and the dark, over the interior's box; outside it lips cover everything. */
function drawInterior(
  parts: GraphParts,
  rig: RigParts,
  parameters: string,
  shade: { headShade: string; jawShade: string },
): string {
  const { layers, interior, cavity } = rig;
  const { builder } = parts;
  const box = layers.boxes.interior;
  const backToFront = [interior.tongue, interior.lowerTeeth, interior.upperTeeth];
  const texture = batchTextures(backToFront.map((layer) => interiorTexture(box, layer)));
  const identity = parts.grid(blockStarts(box.widthPx), blockStarts(box.heightPx));
  const grid = interiorGrid(parts, parameters, [layers.tongue, layers.lowerTeeth, layers.upperTeeth], box, identity);
  const sampled = parts.sample(parts.texture(texture, texture.count), grid);
  let picture = blockColour(parts, cavity);
  backToFront.forEach((_, index) => {
    const layer = parts.item(sampled, index);
    picture = parts.mix(picture, parts.channels(layer, 0, 6), blockAlpha(parts, layer, 6, 10));
  });
  const inMouth = interiorInMouth(layers.boxes);
  const one = builder.scalar(1);
  const underLip = parts.subtract(one, parts.scaleBy(parts.crop(shade.headShade, inMouth), 0.62));
  const overLip = parts.subtract(one, parts.scaleBy(parts.crop(shade.jawShade, inMouth), 0.35));
  const light = parts.multiply(parts.multiply(underLip, overLip), duskFactor(parts, parameters));
  const dark = blockColour(parts, [0.8 * cavity[0], 0.8 * cavity[1], 0.8 * cavity[2]]);
  return parts.mix(dark, picture, light);
}

/** One upper lid, drawn at every pixel: blocks would show as dots where a closing lid stretches its skin. */
function drawEye(parts: GraphParts, rig: RigParts, parameters: string, head: Head, side: 0 | 1): Patch {
  const table = rig.layers.lids[side];
  const { box } = table;
  const { builder } = parts;
  const blink = FACE_PARAMETER_INDEX[side === 0 ? "blinkL" : "blinkR"];
  const field = lidField(parts, head.inverse, rig.regionPx, table, parameters, blink);
  const fine = parts.resize(field, [1, 2, box.heightPx, box.widthPx]);
  const pixels = parts.grid(cellCentres(box.widthPx), cellCentres(box.heightPx));
  const texture = createPixelTexture(box, rig.lids.colour, rig.lids.alpha);
  const lid = parts.sample(parts.texture(texture), parts.add(parts.toGrid(fine), pixels));
  const halves = builder.node("AveragePool", [parts.channels(lid, 1, 4)], { kernel_shape: [2, 2], strides: [2, 2] });
  const behind = parts.crop(head.picture, halfBox(box));
  const alpha = (tensor: string, channel: number) =>
    parts.scaleBy(parts.channels(tensor, channel, channel + 1), 1 / 255);
  const luma = parts.unfoldBlocks(parts.channels(behind, 0, 4));
  return {
    box,
    y: parts.toBytes(parts.mix(luma, parts.channels(lid, 0, 1), alpha(lid, 3))),
    uv: parts.toBytes(parts.mix(parts.channels(behind, 4, 6), parts.channels(halves, 0, 2), alpha(halves, 2))),
  };
}

/** Light behind the lips, scalar [1, 1, 1, 1]: 1, less as they round. */
function duskFactor(parts: GraphParts, parameters: string): string {
  const { builder } = parts;
  const weights = new Float32Array(FACE_PARAMETER_COUNT);
  for (const [name, weight] of Object.entries(DUSK)) weights[FACE_PARAMETER_INDEX[name as keyof FacePose]] = weight;
  const change = builder.node("MatMul", [parameters, builder.constant(weights, [FACE_PARAMETER_COUNT, 1])]);
  const light = builder.node("Clip", [
    parts.add(change, builder.scalar(1)),
    builder.scalar(DARKEST),
    builder.scalar(1),
  ]);
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

/** One colour as [1, 6, 1, 1]. */
function blockColour(parts: GraphParts, [red, green, blue]: Rgb): string {
  const [y, u, v] = rgbToYuv(red, green, blue);
  return parts.builder.constant([y, y, y, y, u, v], [1, 6, 1, 1]);
}

/** The interior's box in blocks of the mouth's. */
function interiorInMouth({ interior, mouth }: RigBoxes): PixelBox {
  return halfBox({ ...interior, x: interior.x - mouth.x, y: interior.y - mouth.y });
}

function interiorTexture(box: PixelBox, layer: InteriorLayer) {
  return createBlockTexture(box, { colour: layer.colour, sharp: [layer.alpha] });
}

function wholeRegion(regionPx: number): PixelBox {
  return { x: 0, y: 0, widthPx: regionPx, heightPx: regionPx };
}
