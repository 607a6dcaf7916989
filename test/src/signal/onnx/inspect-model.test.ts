import { readFile } from "node:fs/promises";
import protobuf from "protobufjs/minimal.js";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { FACE_PARAMETER_COUNT } from "../../../../shared/face-parameters.ts";
import { checkRigGraph } from "../../../../src/face/imx/rig-graph-check.ts";
import { GraphBuilder } from "../../../../src/signal/onnx/graph-builder.ts";
import { inspectModel } from "../../../../src/signal/onnx/inspect-model.ts";
import { smallRig } from "../../../helpers/faces/small-avatar.ts";

type Field = [field: number, value: number | string | Uint8Array | Field[]];

/** Protobuf bytes, written field by field, so that they can be wrong in any way. */
function encode(fields: Field[]): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [field, value] of fields) {
    if (typeof value === "number") writer.uint32(field << 3).int64(value);
    else if (typeof value === "string") writer.uint32((field << 3) | 2).string(value);
    else writer.uint32((field << 3) | 2).bytes(value instanceof Uint8Array ? value : encode(value));
  }
  return writer.finish();
}

const OPSET: Field = [8, [[2, 16]]];
const IR: Field = [1, 8];
/** A model with a graph of these fields besides the input and output of a rig. */
function rigWith(graph: Field[], model: Field[] = [IR, OPSET]): Uint8Array {
  const value = (name: string, dims: number[]): Field[] => [
    [1, name],
    [
      2,
      [
        [
          1,
          [
            [1, 1],
            [2, dims.map((size): Field => [1, [[1, size]]])],
          ],
        ],
      ],
    ],
  ];
  return encode([...model, [7, [...graph, [11, value("params", PARAMETERS)], [12, value("params", PARAMETERS)]]]]);
}

const PARAMETERS = [1, FACE_PARAMETER_COUNT];

function refusal(bytes: Uint8Array): string {
  try {
    checkRigGraph(bytes, FACE_PARAMETER_COUNT);
  } catch (error) {
    if (isEngineError(error) && error.code === "bundle-invalid") return error.message;
    throw error;
  }
  return "accepted";
}

t.test("the description of our own graph matches how it was built", async (t) => {
  const builder = new GraphBuilder("sum");
  builder.input("x", "float32", ["batch", 3]);
  builder.output("y", "float32", ["batch", 3]);
  const table = builder.constant([1, 2, 3], [1, 3], { name: "table", storage: "float16" });
  builder.node("Reshape", [builder.node("Add", ["x", table]), builder.ints(-1, 3)], {}, "y");
  const seen = inspectModel(builder.toModel());
  t.match(seen, { irVersion: 8, opsets: [{ domain: "", version: 16 }], externalData: [], extras: [] });
  t.same(
    seen.nodes.map(({ operator }) => operator),
    ["Cast", "Add", "Reshape"],
  );
  t.same(seen.inputs, [{ name: "x", type: "float32", dims: ["batch", 3] }]);
  t.match(seen.tensors, [
    { name: "table_float16", type: "float16", dims: [1, 3], rawBytes: 6, hasTypedData: false, ints: undefined },
    { type: "int64", dims: [2], rawBytes: 16, ints: [-1, 3] },
  ]);
});

t.test("a graph from another writer is described, too", async (t) => {
  const bytes = await readFile(new URL("../../../../models/face/face_landmark.onnx", import.meta.url));
  const seen = inspectModel(bytes);
  t.same(seen.inputs, [{ name: "input_1", type: "float32", dims: [1, 192, 192, 3] }]);
  t.ok(seen.nodes.some(({ operator }) => operator === "PRelu"));
  const weightBytes = seen.tensors.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  t.ok(weightBytes > 0.9 * bytes.length - 100_000 && weightBytes < bytes.length, `${weightBytes} bytes of weights`);
  t.match(refusal(bytes), /cannot be used/, "and is no rig");
});

/** An attribute with an ambiguous value: two readers may see different numbers. Kinds: 1 float, 2 int, 7 ints. */
const attributesInTwoForms: Field[][] = [
  [
    [3, 0],
    [8, 1],
    [20, 2],
  ],
  [
    [3, 0],
    [3, 1],
    [20, 2],
  ],
  [
    [8, 1],
    [20, 2],
  ],
  [
    [3, 1],
    [20, 7],
  ],
  [
    [3, 1],
    [20, 1],
  ],
  [[3, 1]],
];

t.test("features that no rig has are refused, and the message names them", async (t) => {
  t.equal(refusal(smallRig()), "accepted");
  t.equal(refusal(rigWith([])), "accepted", "the frame that the cases below stand in");
  const tensor = (fields: Field[]): Uint8Array => rigWith([[5, fields]]);
  const node = (fields: Field[]): Uint8Array => rigWith([[1, fields]]);
  const huge: Field[] = [
    [1, 2 ** 29],
    [2, 1],
    [8, "huge"],
  ];
  const cases: [RegExp, Uint8Array][] = [
    [/declares 536870912 elements/, tensor(huge)],
    [
      /declares 1000 elements of float32 but has 4 bytes/,
      tensor([
        [1, 1000],
        [2, 1],
        [9, new Uint8Array(4)],
      ]),
    ],
    [
      /declares 0 elements of float32 but has 4 bytes/,
      tensor([
        [1, 0],
        [2, 1],
        [9, new Uint8Array(4)],
      ]),
    ],
    [
      /raw data/,
      tensor([
        [1, 1],
        [2, 1],
        [4, new Uint8Array(4)],
      ]),
    ],
    [
      /cannot be read/,
      tensor([
        [1, -1],
        [2, 1],
      ]),
    ],
    [
      /type that a rig may not use/,
      tensor([
        [1, 1],
        [2, 8],
        [6, "text"],
      ]),
    ],
    [
      /two values named "params"/,
      tensor([
        [1, 1],
        [2, 2],
        [8, "params"],
        [9, new Uint8Array(1)],
      ]),
    ],
    [
      /two values named "params"/,
      node([
        [1, "params"],
        [2, "params"],
        [4, "Identity"],
      ]),
    ],
    [/9 axes/, tensor([...Array.from({ length: 9 }, (): Field => [1, 1]), [2, 2], [9, new Uint8Array(1)]])],
    [
      /outside the file/,
      tensor([
        [1, 1],
        [2, 1],
        [
          13,
          [
            [1, "location"],
            [2, "/etc/passwd"],
          ],
        ],
        [14, 1],
      ]),
    ],
    [
      /outside the file/,
      tensor([
        [1, 1],
        [2, 1],
        [9, new Uint8Array(4)],
        [14, 1],
      ]),
    ],
    [
      /declares 536870912 elements/,
      node([
        [4, "Identity"],
        [
          5,
          [
            [1, "value"],
            [5, huge],
            [20, 4],
          ],
        ],
      ]),
    ],
    [/operator "ReadFile"/, node([[4, "ReadFile"]])],
    [
      /operator "com.example::Add"/,
      node([
        [4, "Add"],
        [7, "com.example"],
      ]),
    ],
    [
      /subgraph/,
      node([
        [4, "Identity"],
        [
          5,
          [
            [1, "body"],
            [6, []],
          ],
        ],
      ]),
    ],
    ...attributesInTwoForms.map((fields): [RegExp, Uint8Array] => [
      /does not fit its kind/,
      node([
        [1, "params"],
        [2, "made"],
        [4, "Gather"],
        [5, [[1, "axis"], ...fields]],
      ]),
    ]),
    [
      /given twice/,
      node([
        [4, "Identity"],
        ...[0, 1].map(
          (axis): Field => [
            5,
            [
              [1, "axis"],
              [3, axis],
              [20, 2],
            ],
          ],
        ),
      ]),
    ],
    [/sparse tensor/, rigWith([[15, []]])],
    [/function/, rigWith([], [IR, OPSET, [25, []]])],
    [/training/, rigWith([], [IR, OPSET, [20, []]])],
    [/operator set 21/, rigWith([], [IR, [8, [[2, 21]]]])],
    [
      /standard ONNX operator set/,
      rigWith(
        [],
        [
          IR,
          OPSET,
          [
            8,
            [
              [1, "com.example"],
              [2, 1],
            ],
          ],
        ],
      ),
    ],
    [/standard ONNX operator set/, rigWith([], [IR])],
    [/IR version 99/, rigWith([], [[1, 99], OPSET])],
    [/more than 4096 nodes/, rigWith(Array.from({ length: 4097 }, (): Field => [1, [[4, "Add"]]]))],
    [/no ONNX graph/, encode([IR, OPSET])],
  ];
  for (const [words, bytes] of cases) t.match(refusal(bytes), words, `${words}`);
});

t.test("damaged bytes are refused without a crash and without much memory", async (t) => {
  const rig = smallRig();
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const started = process.memoryUsage().rss;
  for (let round = 0; round < 3000; round++) {
    const bytes = rig.slice(0, round % 3 === 0 ? random(rig.length) : rig.length);
    for (let flips = random(4); flips >= 0 && bytes.length > 0; flips--) bytes[random(bytes.length)] ^= 1 << random(8);
    refusal(bytes);
  }
  const noise = new Uint8Array(1 << 16);
  for (let round = 0; round < 50; round++) refusal(noise.map(() => random(256)));
  // Groups within groups, as deep as the file is long.
  t.match(refusal(new Uint8Array(1 << 20).fill(0x0b)), /cannot be read/);
  t.match(refusal(Uint8Array.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f])), /cannot be read/, "a length of 4 GiB");
  t.ok(process.memoryUsage().rss - started < 200 * 2 ** 20, "and never take much memory");
});
