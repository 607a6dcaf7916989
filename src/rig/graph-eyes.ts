// The eyes of a rig graph: eyeballs turned by the gaze in the openings between the lids, and the upper lids over them.
import { gazeShift, lidField } from "./graph-displacement.ts";
import type { HeadLayer } from "./graph-head.ts";
import { type GraphParts, halfBox, wholeRegion } from "./graph-parts.ts";
import { blockTexture, storedTexture } from "./graph-texture.ts";
import { createLayerTexture } from "./layer-texture.ts";
import { RIG_INPUT_INDEX } from "./rig-inputs.ts";
import type { DrawnPlanes, RigParts } from "./rig-parts.ts";

/** Both eyes inside their box. `around`: the head layer there, [1, 6, h/2, w/2]. Lids are drawn at every pixel: where one closes, it stretches its
 *  skin so much that blocks would show as dots. */
export function drawEyes(
  parts: GraphParts,
  rig: RigParts,
  inputs: string,
  head: HeadLayer,
  around: string,
): DrawnPlanes {
  const { builder } = parts;
  const [behindY, behindUv] = parts.split(drawEyeballs(parts, rig, inputs, head, around), [4, 2]);
  const blinks = builder.ints(RIG_INPUT_INDEX.blinkL, RIG_INPUT_INDEX.blinkR);
  const closures = parts.clip(builder.node("Gather", [inputs, blinks], { axis: 1 }), 0, 1);
  const lids = sampleLids(parts, rig, head, closures);
  const each = builder.node("Reshape", [closures, builder.ints(1, 2, 1, 1)]);
  const closure = [parts.channels(each, 0, 1), parts.channels(each, 1, 2)];

  // A lid shows its open colours, and as much of what closing changes in them as it is closed.
  const over = (plane: string, open: string, change: string, masks: readonly string[]) => {
    const [left, right] = masks;
    const shut = parts.add(parts.multiply(left, closure[0]), parts.multiply(right, closure[1]));
    return parts.add(parts.mix(plane, open, parts.add(left, right)), parts.multiply(change, shut));
  };
  const [openY, changeY, left, right] = parts.split(lids, [1, 1, 1, 1, 4]);
  const [, leftHalf, rightHalf, openUv, changeUv] = parts.split(parts.halve(lids), [2, 1, 1, 2, 2]);
  const y = over(parts.unfoldBlocks(behindY, rig.layers.boxes.eyes), openY, changeY, [left, right]);
  const uv = over(behindUv, openUv, changeUv, [leftHalf, rightHalf]);
  return { y: parts.toBytes(y), uv: parts.toBytes(uv) };
}

/** Lids at every pixel of the eyes' box, [1, 8, h, w]: luma of the open lid, what closing adds to it, masks of both lids, chroma of the open
 *  lid, what closing adds to that. */
function sampleLids(parts: GraphParts, rig: RigParts, head: HeadLayer, closures: string): string {
  const table = rig.layers.lids;
  const { box } = table;
  const source = rig.layers.boxes.eyesSource;
  const { openColour, closedColour, alphas } = rig.lids;
  const headHere = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), wholeRegion(rig.regionPx), box);
  const field = parts.scaleAxes(lidField(parts, headHere, table, closures), box, source);
  const fine = parts.resize(field, [1, 2, box.heightPx, box.widthPx]);
  const grid = parts.add(parts.toGrid(fine), parts.pixelPositions(box, source));
  // All of this is constant, and worked out when the graph is loaded.
  const stored = storedTexture(parts, createLayerTexture(source, [openColour, closedColour], alphas));
  const [openY, openUv, closedY, closedUv, masks] = parts.split(stored, [1, 2, 1, 2, 2]);
  const changeY = parts.subtract(closedY, openY);
  const changeUv = parts.subtract(closedUv, openUv);
  return parts.sample(parts.concat([openY, changeY, masks, openUv, changeUv], 1), grid);
}

/** The head inside the eyes' box with its eyeballs, at blocks [1, 6, h/2, w/2]: an eyeball moves as a whole, which blocks follow exactly. */
function drawEyeballs(parts: GraphParts, rig: RigParts, inputs: string, head: HeadLayer, around: string): string {
  const { layers, eyeballs, regionPx } = rig;
  const { eyes: box, eyesSource: source } = layers.boxes;
  const here = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), wholeRegion(regionPx), source);
  const positions = parts.blockPositions(box, source);
  const grid = (displacement: string) => parts.add(parts.toGrid(displacement), positions);
  const turned = parts.subtract(here, gazeShift(parts, inputs, layers.gaze, source));
  const ball = parts.sample(blockTexture(parts, source, [{ colour: eyeballs.colour }]), grid(turned));
  const opening = parts.sample(blockTexture(parts, source, [{ alpha: eyeballs.opening }]), grid(here));
  return parts.mix(around, ball, opening);
}
