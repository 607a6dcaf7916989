// A face as programs of earlier versions baked it: the same layers, moved by the parameters of then.
import { EARLIER_PARAMETER_COUNT, FACE_PARAMETERS } from "../../../shared/face-parameters.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { matchRig } from "../../../src/face/rendering/rig-executor/match-rig.ts";
import type { RigData, RigTensorName } from "../../../src/face/rig-graph/rig-data.ts";
import { writeRigGraph } from "../../../src/face/rig-graph/rig-graph.ts";
import { RIG_INPUT_INDEX } from "../../../src/face/rig-graph/rig-inputs.ts";
import { LID_CLOSURES, lidShifts, type RigShape } from "../../../src/face/rig-graph/rig-shape.ts";

const FLOAT16: readonly RigTensorName[] = ["headField", "jawField", "lidField"];
const FLOAT32: readonly RigTensorName[] = ["gaze", "interiorCorners", "cavity", "darkLuma", "darkChroma"];

/** The avatar with a rig of 21 parameters. Throws Error for a rig that is not the writer's. */
export function earlierAvatar(imx: Imx): Imx {
  return {
    ...imx,
    manifest: { ...imx.manifest, parameters: FACE_PARAMETERS.slice(0, EARLIER_PARAMETER_COUNT) },
    rig: earlierRig(imx.rig),
  };
}

function earlierRig(rig: Uint8Array): Uint8Array {
  const matched = matchRig(rig);
  if ("mismatch" in matched) throw new Error(`the rig is not the writer's: ${matched.mismatch}`);
  const { shape, tensors } = matched;
  const valuesOf = (name: RigTensorName) => numbersOf(name, tensors.get(name)!);
  const every = Array.from({ length: RIG_INPUT_INDEX.roundedJaw + 1 }, (_, input) => input);
  const lids = lidShifts(shape);
  const eyesAndLids = [0, 1].flatMap(() => lids.map((closure) => LID_CLOSURES.includes(closure)));
  const data = Object.fromEntries([...tensors.keys()].map((name) => [name, valuesOf(name)])) as unknown as RigData;
  return writeRigGraph(
    {
      ...shape,
      parameterCount: EARLIER_PARAMETER_COUNT,
      head: { ...shape.head, inputs: shape.head.inputs.filter(isEarlier).map(earlierIndex) },
      jaw: { ...shape.jaw, inputs: shape.jaw.inputs.filter(isEarlier).map(earlierIndex) },
      lights: [],
    } satisfies RigShape,
    {
      ...data,
      headField: rowsOf(data.headField, shape.head.inputs.map(isEarlier)),
      jawField: rowsOf(data.jawField, shape.jaw.inputs.map(isEarlier)),
      lidField: rowsOf(data.lidField, eyesAndLids),
      gaze: rowsOf(data.gaze, every.map(isEarlier)),
      interiorCorners: rowsOf(data.interiorCorners, every.map(isEarlier)),
    },
    "0.1.0",
  );
}

function isEarlier(input: number): boolean {
  return input < EARLIER_PARAMETER_COUNT || input === RIG_INPUT_INDEX.roundedJaw;
}

function earlierIndex(input: number): number {
  return Math.min(input, EARLIER_PARAMETER_COUNT);
}

/** The rows that are kept of a matrix with as many rows as `keeps`. */
function rowsOf(values: ArrayLike<number>, keeps: readonly boolean[]): number[] {
  const width = values.length / keeps.length;
  return Array.from(values).filter((_, at) => keeps[Math.floor(at / width)]);
}

function numbersOf(name: RigTensorName, bytes: Uint8Array): ArrayLike<number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (FLOAT32.includes(name)) {
    return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  }
  if (!FLOAT16.includes(name)) return bytes;
  return Array.from({ length: bytes.length / 2 }, (_, index) => fromHalf(view.getUint16(2 * index, true)));
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
