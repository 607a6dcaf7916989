// Weights that lie about their size or point elsewhere: refused from the file's bytes, before any graph is loaded.
import protobuf from "protobufjs/minimal.js";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { FACE_PARAMETER_COUNT } from "../../../../shared/face-parameters.ts";
import { checkRigGraph } from "../../../../src/face/imx/rig-graph-check.ts";
import { smallRig } from "../../../helpers/faces/small-avatar.ts";

const FLOAT32 = 1;
const DELIMITED = 2;
type Writer = protobuf.Writer;

/** A tensor message. Field numbers: onnx.proto. */
interface Weights {
  dims: number[];
  raw?: Uint8Array;
  floats?: number[];
  externalPath?: string;
}

function message(writer: Writer, field: number, write: (writer: Writer) => void): void {
  writer.uint32((field << 3) | DELIMITED).fork();
  write(writer);
  writer.ldelim();
}

/** The small rig with more weights. By protobuf's rules, a second graph message in the same file is merged with the
 *  first. */
function rigWith(weights: Weights): Uint8Array {
  const writer = protobuf.Writer.create();
  message(writer, 7, (graph) =>
    message(graph, 5, (tensor) => {
      for (const size of weights.dims) tensor.uint32(1 << 3).int64(size);
      tensor.uint32(2 << 3).int32(FLOAT32);
      const { floats } = weights;
      if (floats) {
        message(tensor, 4, (packed) => {
          for (const value of floats) packed.float(value);
        });
      }
      tensor.uint32((8 << 3) | DELIMITED).string("weights");
      if (weights.raw) tensor.uint32((9 << 3) | DELIMITED).bytes(weights.raw);
      const { externalPath } = weights;
      if (externalPath === undefined) return;
      message(tensor, 13, (entry) => {
        entry.uint32((1 << 3) | DELIMITED).string("location");
        entry.uint32((2 << 3) | DELIMITED).string(externalPath);
      });
      tensor.uint32(14 << 3).int32(1);
    }),
  );
  return Buffer.concat([smallRig(), writer.finish()]);
}

function refusal(weights: Weights): string | undefined {
  try {
    checkRigGraph(rigWith(weights), FACE_PARAMETER_COUNT);
    return undefined;
  } catch (error) {
    if (isEngineError(error) && error.code === "bundle-invalid") return error.message;
    throw error;
  }
}

t.test("valid weights pass", async (t) => {
  t.equal(refusal({ dims: [2, 2], raw: new Uint8Array(16) }), undefined);
});

t.test("external, oversized, inflated and truncated weights are refused without allocating memory", async (t) => {
  const before = process.memoryUsage().rss;
  for (const [words, weights] of [
    [/outside the file/, { dims: [1], externalPath: "../../etc/passwd" }],
    [/outside the file/, { dims: [1], raw: new Uint8Array(4), externalPath: "weights.bin" }],
    [/declares 536870912 elements/, { dims: [512, 1024, 1024] }],
    [/declares 536870912 elements/, { dims: [536_870_912], raw: new Uint8Array(64) }],
    [/has 4 bytes/, { dims: [4000, 4000], raw: new Uint8Array(4) }],
    [/has 0 bytes/, { dims: [4000, 4000], floats: [0] }],
    [/has 16 bytes/, { dims: [2, 2], raw: new Uint8Array(16), floats: [1] }],
    [/axes/, { dims: Array(7).fill(1), raw: new Uint8Array(4) }],
    [/damaged/, { dims: [-1], raw: new Uint8Array(4) }],
  ] satisfies [RegExp, Weights][]) {
    t.match(refusal(weights), words, JSON.stringify(weights.dims));
  }
  t.ok(process.memoryUsage().rss - before < 50 * 2 ** 20);
});
