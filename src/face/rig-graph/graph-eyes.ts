// The eyes of a rig graph: eyeballs turned by the gaze in the openings between the lids, and the upper lids over them.
// Eyeballs are a layer of their own, sampled at every pixel: in the head's displacement field, a turning eye moved the
// lashes before it in steps of the block size, and a finer grid for the whole head cost 1.3 ms more a frame.

import { gazeShift, lidField } from "./graph-displacement.ts";
import type { HeadLayer } from "./graph-head.ts";
import { type GraphParts, halfBox } from "./graph-parts.ts";
import { blockTexture, storedTexture } from "./graph-texture.ts";
import type { RenderedPlanes } from "./rendered-planes.ts";
import { RIG_INPUT_INDEX } from "./rig-inputs.ts";
import { hasExpressions, type RigShape } from "./rig-shape.ts";

/** Both eyes inside their box. `around`: the head layer there, [1, 6, h/2, w/2]. Lids are rendered at every pixel,
 *  because a closing lid stretches its skin so much that blocks would be visible as dots. */
export function renderEyes(
  parts: GraphParts,
  shape: RigShape,
  inputs: string,
  head: HeadLayer,
  around: string,
): RenderedPlanes {
  const { builder } = parts;
  const { boxes } = shape;
  const [behindY, behindUv] = parts.split(renderEyeballs(parts, shape, inputs, head, around), [4, 2]);
  const closures = lidClosures(parts, shape, inputs);
  const shutShares = hasExpressions(shape) ? builder.node("Relu", [closures]) : closures;
  const each = builder.node("Reshape", [shutShares, builder.ints(1, 2, 1, 1)]);
  const [leftClosure, rightClosure] = parts.split(each, [1, 1]);
  // Colour of a lid: its open colour plus the change that closing makes, scaled by the closure.
  const over = (plane: string, { open, change, left, right }: LidLayer) => {
    const shut = parts.add(parts.multiply(left, leftClosure), parts.multiply(right, rightClosure));
    return parts.add(parts.mix(plane, open, parts.add(left, right)), parts.multiply(change, shut));
  };
  const lids = sampleLids(parts, shape, head, closures);
  const y = over(parts.unfoldBlocks(behindY, boxes.eyes), lids.luma);
  const uv = over(behindUv, lids.chroma);
  return { y: parts.toBytes(y), uv: parts.toBytes(uv) };
}

/** Colours of the open lids, the change that closing adds, and the masks of both. */
interface LidLayer {
  open: string;
  change: string;
  left: string;
  right: string;
}

/** How far the lids are closed [1, 2], left and right: 0 open .. 1 shut; −1 is a raised lid. A blink shuts a raised
 *  lid all the way. */
function lidClosures(parts: GraphParts, shape: RigShape, inputs: string): string {
  const { builder } = parts;
  const chosen = (...of: number[]) =>
    parts.clip(builder.node("Gather", [inputs, builder.ints(...of)], { axis: 1 }), 0, 1);
  const blinks = chosen(RIG_INPUT_INDEX.blinkL, RIG_INPUT_INDEX.blinkR);
  if (!hasExpressions(shape)) return blinks;
  return parts.subtract(blinks, parts.multiply(chosen(RIG_INPUT_INDEX.lidsRaised), parts.oneMinus(blinks, 1)));
}

/** The lids inside the eyes' box: luma at every pixel, chroma at the middle of every block. */
function sampleLids(
  parts: GraphParts,
  shape: RigShape,
  head: HeadLayer,
  closures: string,
): { luma: LidLayer; chroma: LidLayer } {
  const { eyes: box, eyesSource: source } = shape.boxes;
  const headHere = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), head.box, box);
  const field = parts.scaleAxes(lidField(parts, shape, headHere, closures), box, source);
  const fine = parts.resize(field, [1, 2, box.heightPx, box.widthPx]);
  const pixels = parts.add(parts.toGrid(fine), parts.pixelPositions(box, source));
  const blocks = parts.add(parts.toGrid(field), parts.blockMiddles(box, source));
  // All of this is constant and is computed when the graph is loaded.
  const stored = storedTexture(parts, "lids", source, { colours: 2, masks: 2 });
  const [openY, openUv, closedY, closedUv, masks] = parts.split(stored, [1, 2, 1, 2, 2]);
  const sample = (open: string, closed: string, channels: number, grid: string): LidLayer => {
    const texture = parts.concat([open, parts.subtract(closed, open), masks], 1);
    const [shown, change, left, right] = parts.split(parts.sample(texture, grid), [channels, channels, 1, 1]);
    return { open: shown, change, left, right };
  };
  return { luma: sample(openY, closedY, 1, pixels), chroma: sample(openUv, closedUv, 2, blocks) };
}

/** The head inside the eyes' box with its eyeballs, at blocks [1, 6, h/2, w/2]: an eyeball moves as a whole, so blocks
 *  are exact. */
function renderEyeballs(parts: GraphParts, shape: RigShape, inputs: string, head: HeadLayer, around: string): string {
  const { eyes: box, eyesSource: source } = shape.boxes;
  const here = parts.scaleAxes(parts.crop(head.displacement, halfBox(box)), head.box, source);
  const positions = parts.blockPositions(box, source);
  const grid = (displacement: string) => parts.add(parts.toGrid(displacement), positions);
  const turned = parts.subtract(here, gazeShift(parts, shape, inputs));
  const ball = parts.sample(blockTexture(parts, "eyeballs", source, { colours: 1 }), grid(turned));
  const opening = parts.sample(blockTexture(parts, "eyeOpenings", source, { colours: 0, masks: 1 }), grid(here));
  return parts.mix(around, ball, opening);
}
