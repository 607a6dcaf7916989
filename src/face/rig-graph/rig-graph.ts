// Writes the graph of one face: its parameters in, one frame of the region out, as the planes that WebRTC needs.
//
// Back to front: dark of the mouth, tongue, lower teeth, upper teeth, jaw layer (lower lip and chin), head layer
// (everything else), upper lids. Each layer is the photo, sampled at the inverse of its displacement field. See
// docs/decisions/0004 and 0025.
import type { PixelBox } from "../../signal/image/raster.ts";
import type { Graph } from "../../signal/onnx/graph.ts";
import { GraphBuilder } from "../../signal/onnx/graph-builder.ts";
import { writeModel } from "../../signal/onnx/model-writer.ts";
import { ONNX_TYPE } from "../../signal/onnx/onnx-format.ts";
import { renderEyes } from "./graph-eyes.ts";
import { type HeadLayer, headLayer } from "./graph-head.ts";
import { renderMouth } from "./graph-mouth.ts";
import { GraphParts, halfBox, withinBox } from "./graph-parts.ts";
import { type RegionBand, regionBands } from "./region-bands.ts";
import type { RenderedPlanes } from "./rendered-planes.ts";
import { type RigData, type RigTensorName, ROUNDING } from "./rig-data.ts";
import { rigInputs } from "./rig-inputs.ts";
import type { RigShape } from "./rig-shape.ts";

/** Luma of black in limited range. */
export const BLACK_LUMA = 16;
const MOST_BYTE = 255;

/** Bytes of the ONNX file. Input `params` float32 [1, n]; outputs `y` uint8 [1, 1, R, R] and `uv` uint8 [1, 2, R/2,
 *  R/2], BT.601 limited range, R being the region's side. Operators of opset 16 only. */
export function writeRigGraph(shape: RigShape, data: RigData, producerVersion: string): Uint8Array {
  const { graph } = buildGraph(shape, data);
  return writeModel(graph, { producer: { name: "open-avatar-service", version: producerVersion } });
}

/** The graph that `writeRigGraph` writes for any face of this shape, and the names of the tensors that hold a face's
 *  own data, with empty `bytes` here. */
export function rigGraphOf(shape: RigShape): { graph: Graph; tensorNames: ReadonlyMap<RigTensorName, string> } {
  return buildGraph(shape, null);
}

function buildGraph(shape: RigShape, data: RigData | null) {
  const { regionPx, boxes, parameterCount } = shape;
  const half = regionPx / 2;
  const builder = new GraphBuilder("rig");
  const parts = new GraphParts(builder, data);
  const parameters = builder.input("params", "float32", [1, parameterCount]);
  builder.output("y", "uint8", [1, 1, regionPx, regionPx]);
  builder.output("uv", "uint8", [1, 2, half, half]);

  const inputs = rigInputs(parts, parameters, parameterCount);
  const head = headLayer(parts, shape, inputs);
  const bands = regionBands(regionPx, boxes).map((band) => renderBand(parts, shape, inputs, head, band));
  const ys = bands.map(({ y }) => y);
  if (head.light === null) builder.node("Concat", ys, { axis: 2 }, "y");
  else lightUp(parts, parts.concat(ys, 2), head.light, "y");
  builder.node(
    "Concat",
    bands.map(({ uv }) => uv),
    { axis: 2 },
    "uv",
  );
  return { graph: builder.toGraph(), tensorNames: parts.tensorNames };
}

function renderBand(
  parts: GraphParts,
  shape: RigShape,
  inputs: string,
  head: HeadLayer,
  band: RegionBand,
): RenderedPlanes {
  const { box, patch } = band;
  const { eyes, mouth } = shape.boxes;
  if (patch === "mouth") {
    // The mouth's patch contains the head layer, so the head is not rendered under it.
    const [left, right] = besides(box, mouth).map((side) => side && planesOf(parts, head.sample(side), side));
    return sideBySide(parts, [left, renderMouth(parts, shape, inputs, head), right]);
  }
  const sampled = head.sample(box);
  const planes = planesOf(parts, sampled, box);
  if (patch !== "eyes") return planes;
  const around = parts.crop(sampled, halfBox(withinBox(eyes, box)));
  const [left, right] = besides(box, eyes).map((side) => side && cropPlanes(parts, planes, withinBox(side, box)));
  return sideBySide(parts, [left, renderEyes(parts, shape, inputs, head, around), right]);
}

/** Makes skin lighter or darker. Eyeballs and the inside of the mouth lie where no input has light. */
function lightUp(parts: GraphParts, y: string, light: string, name: string): void {
  const { builder } = parts;
  const brightness = builder.node("Cast", [y], { to: ONNX_TYPE.float32 });
  // Luma is in limited range: black is 16, and stays.
  const added = parts.multiply(parts.subtract(brightness, builder.scalar(BLACK_LUMA)), light);
  const lit = parts.add(parts.add(brightness, added), builder.scalar(ROUNDING));
  builder.node("Cast", [parts.clip(lit, 0, MOST_BYTE)], { to: ONNX_TYPE.uint8 }, name);
}

/** The blocks of a box [1, 6, h/2, w/2] as planes. */
function planesOf(parts: GraphParts, blocks: string, box: PixelBox): RenderedPlanes {
  const [places, uv] = parts.split(parts.toBytes(blocks), [4, 2]);
  return { y: parts.unfoldBlocks(places, box), uv };
}

function cropPlanes(parts: GraphParts, { y, uv }: RenderedPlanes, box: PixelBox): RenderedPlanes {
  return { y: parts.crop(y, box), uv: parts.crop(uv, halfBox(box)) };
}

/** The parts of a band to the left and to the right of a box of the same height; null if a part is empty. */
function besides(band: PixelBox, { x, widthPx }: PixelBox): (PixelBox | null)[] {
  const right = x + widthPx;
  return [
    x > band.x ? { ...band, widthPx: x - band.x } : null,
    right < band.widthPx ? { ...band, x: right, widthPx: band.widthPx - right } : null,
  ];
}

function sideBySide(parts: GraphParts, planes: readonly (RenderedPlanes | null)[]): RenderedPlanes {
  const there = planes.filter((each) => each !== null);
  const join = (values: string[]) => (values.length === 1 ? values[0] : parts.concat(values, 3));
  return { y: join(there.map(({ y }) => y)), uv: join(there.map(({ uv }) => uv)) };
}
