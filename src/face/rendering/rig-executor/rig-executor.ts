// Renders a rig on a processor without ONNX Runtime: the layers of its graph, rendered by a WebAssembly module straight
// into a frame. Every sample is within one level of what the graph gives, two where an
// expression lights the skin, for a tenth of the time (ADR 41).

import { createI420Frame, type I420Frame } from "../../../signal/image/i420-frame.ts";
import type { PixelBox } from "../../../signal/image/raster.ts";
import type { Imx } from "../../imx/imx.ts";
import type { RigTensorName } from "../../rig-graph/rig-data.ts";
import { RIG_INPUT_COUNT } from "../../rig-graph/rig-inputs.ts";
import type { FieldShape, RigShape } from "../../rig-graph/rig-shape.ts";
import { aimLevels, CHEST_LEVELS, type MovingPlane, planChest, WORD_PX } from "../chest-plan.ts";
import type { FrameRenderer } from "../frame-renderer.ts";
import type { MatchedRig } from "./match-rig.ts";
import { RigModule } from "./rig-module.ts";
import { rigTuning } from "./rig-tuning.ts";

/** In the order of `enum Tensor` in rig.c. */
const TENSORS: readonly RigTensorName[] = [
  "headField",
  "jawField",
  "lidField",
  "gaze",
  "interiorCorners",
  "head",
  "eyeballs",
  "eyeOpenings",
  "lids",
  "upperLip",
  "lowerLip",
  "interior",
  "cavity",
  "darkLuma",
  "darkChroma",
  "light",
];

/** A plane with a moving chest, and its tables in the module. */
interface ChestPlane {
  plane: MovingPlane;
  runsAddress: number;
  offsetsAddress: number;
  offsets: Int32Array;
  fractionsAddress: number;
  fractions: Int32Array;
}

/** What the executor needs of a bundle. */
export interface RigPlan {
  manifest: Pick<Imx["manifest"], "region">;
  chest: Imx["chest"];
}

/** One avatar's instance of the module. Its memory holds the textures, a frame to render into and, for portraits with
 *  shoulders, a second one in which they move. Nothing is allocated for a frame but its promise. */
export class RigExecutor implements FrameRenderer {
  readonly #module: RigModule;
  readonly #region: RigPlan["manifest"]["region"];
  readonly #canvas: { widthPx: number; heightPx: number };
  readonly #parameters: Float32Array;
  readonly #stillAddress: number;
  /** The same as #stillAddress without a chest. */
  readonly #movedAddress: number;
  readonly #shown: Uint8Array;
  readonly #chest: readonly ChestPlane[];
  /** What callers get: buffers of their own, because the SDK reads a frame from the start of its buffer. */
  readonly #frames: readonly [I420Frame, I420Frame];
  #turn = 0;

  /** `canvas`: the frame around the region, which it owns. */
  constructor(module: WebAssembly.Module, rig: MatchedRig, { manifest, chest }: RigPlan, canvas: I420Frame) {
    const own = new RigModule(module);
    const { exports } = own;
    this.#module = own;
    this.#region = manifest.region;
    this.#canvas = canvas;
    this.#frames = [canvas, createI420Frame(canvas.widthPx, canvas.heightPx)];

    const frameBytes = canvas.data.length;
    // Tensors pass through the memory of the frames while it is not used for them.
    const largest = Math.max(...[...rig.tensors.values()].map(({ length }) => length));
    const frames = exports.take_bytes(Math.max(largest, (chest ? 2 : 1) * frameBytes));
    this.#stillAddress = frames;
    this.#movedAddress = chest ? frames + frameBytes : frames;
    setShape(own, rig.shape);
    for (const [index, name] of TENSORS.entries()) {
      const bytes = rig.tensors.get(name);
      if (!bytes) continue;
      own.bytes(frames, bytes.length).set(bytes);
      exports.load_tensor(index, frames);
    }
    const planes = chest ? planChest(chest, canvas) : [];
    const placed = planes.map((plane) => ({
      plane,
      runsAddress: own.takeInts(plane.runs),
      offsetsAddress: exports.take_bytes(4 * CHEST_LEVELS),
      fractionsAddress: exports.take_bytes(4 * CHEST_LEVELS),
    }));
    // The memory does not grow any more: views stay valid.
    this.#chest = placed.map((each) => ({
      ...each,
      offsets: own.ints(each.offsetsAddress, CHEST_LEVELS),
      fractions: own.ints(each.fractionsAddress, CHEST_LEVELS),
    }));
    own.bytes(this.#stillAddress, frameBytes).set(canvas.data);
    this.#shown = own.bytes(this.#movedAddress, frameBytes);
    this.#shown.set(canvas.data);
    this.#parameters = own.floats(exports.parameters_address(), rig.shape.parameterCount);
    const target = this.#regionIn(this.#stillAddress);
    exports.set_target(target.y, target.u, target.v, canvas.widthPx);
  }

  render(parameters: Float32Array, breath: number): I420Frame {
    // A rig of an earlier version takes the first parameters.
    this.#parameters.set(parameters.subarray(0, this.#parameters.length));
    this.#module.exports.render_rig();
    if (this.#chest.length > 0) this.#moveChest(breath);
    const frame = this.#frames[this.#turn];
    this.#turn = 1 - this.#turn;
    frame.data.set(this.#shown);
    return frame;
  }

  /** The instance goes with the last reference to it. */
  async close(): Promise<void> {}

  #moveChest(breath: number): void {
    const { copy_rows, move_chest } = this.#module.exports;
    const { sizePx } = this.#region;
    const stride = this.#canvas.widthPx;
    const from = this.#regionIn(this.#stillAddress);
    const to = this.#regionIn(this.#movedAddress);
    copy_rows(from.y, to.y, stride, sizePx, sizePx);
    copy_rows(from.u, to.u, stride / 2, sizePx / 2, sizePx / 2);
    copy_rows(from.v, to.v, stride / 2, sizePx / 2, sizePx / 2);
    for (const { plane, runsAddress, offsetsAddress, offsets, fractionsAddress, fractions } of this.#chest) {
      aimLevels(plane, breath, offsets, fractions);
      const strideBytes = WORD_PX * plane.strideWords;
      const runs = plane.runs.length / 3;
      move_chest(
        this.#stillAddress,
        this.#movedAddress,
        runsAddress,
        runs,
        strideBytes,
        offsetsAddress,
        fractionsAddress,
      );
    }
  }

  /** Where the planes of the region begin in a frame. */
  #regionIn(frame: number): { y: number; u: number; v: number } {
    const { x, y } = this.#region;
    const { widthPx, heightPx } = this.#canvas;
    const lumaSize = widthPx * heightPx;
    const chroma = frame + lumaSize + (y / 2) * (widthPx / 2) + x / 2;
    return { y: frame + y * widthPx + x, u: chroma, v: chroma + lumaSize / 4 };
  }
}

/** Writes `Shape` and `Tuning` of rig.h. */
function setShape(module: RigModule, { regionPx, parameterCount, boxes, head, jaw, lights }: RigShape): void {
  const { exports } = module;
  const list = (inputs: readonly number[]) => [
    inputs.length,
    ...Array.from({ length: RIG_INPUT_COUNT }, (_, index) => inputs[index] ?? 0),
  ];
  const box = ({ x, y, widthPx, heightPx }: PixelBox) => [x, y, widthPx, heightPx];
  const field = ({ columns, rows, inputs }: FieldShape) => [columns, rows, ...list(inputs)];
  const { eyes, eyesSource, mouth, mouthSource, interior } = boxes;
  const shape = [
    regionPx,
    parameterCount,
    ...[eyes, eyesSource, mouth, mouthSource, interior].flatMap(box),
    ...field(head),
    ...field(jaw),
    ...list(lights),
  ];
  const tuning = rigTuning();
  if (shape.length !== exports.shape_numbers() || tuning.length !== exports.tuning_numbers()) {
    throw new Error("rig.wasm does not belong to rig-executor.ts: run npm run build:wasm");
  }
  module.ints(exports.shape_address(), shape.length).set(shape);
  module.floats(exports.tuning_address(), tuning.length).set(tuning);
}
