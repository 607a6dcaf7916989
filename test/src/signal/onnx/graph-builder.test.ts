import t from "tap";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { toFloat16Bits } from "../../../../src/signal/onnx/float16.ts";
import { GraphBuilder } from "../../../../src/signal/onnx/graph-builder.ts";

async function run(model: Uint8Array, values: number[], dims: number[]): Promise<Float32Array> {
  const runtime = createNodeRuntime();
  const session = await runtime.createSession(model);
  const { y } = await session.run({ x: new runtime.Tensor("float32", Float32Array.from(values), dims) });
  await session.release();
  return y.data as Float32Array;
}

t.test("a built graph runs with every storage type of a constant", async (t) => {
  const builder = new GraphBuilder("sum");
  builder.input("x", "float32", ["batch", 3]);
  builder.output("y", "float32", ["batch", 3]);
  const whole = builder.constant([1, 2, 3], [1, 3], { name: "whole" });
  const half = builder.constant([0.5, -0.25, 1024], [1, 3], { storage: "float16" });
  const byte = builder.constant([300, -1, 7.6], [1, 3], { storage: "uint8" });
  const sum = builder.node("Add", [builder.node("Add", ["x", whole]), half]);
  const all = builder.node("Add", [sum, byte]);
  const [left, right] = builder.nodeWithOutputs("Split", [all, builder.ints(1, 2)], { axis: -1 }, 2);
  builder.node("Concat", [left, builder.node("Mul", [right, builder.scalar(2)])], { axis: 1 }, "y");
  const model = builder.toModel({ producer: { name: "test", version: "1" }, metadata: { family: "essence-2" } });
  t.same([...(await run(model, [0, 0, 0], [1, 3]))], [256.5, 2 * 1.75, 2 * 1035]);
});

t.test("attributes of every kind are passed to the operator", async (t) => {
  const builder = new GraphBuilder("sampling");
  builder.input("x", "float32", [1, 1, 1, 2]);
  builder.output("y", "float32", ["n"]);
  const leaky = builder.node("LeakyRelu", ["x"], { alpha: { float: 1 } });
  const wide = builder.node("Resize", [leaky, "", "", builder.ints(1, 1, 1, 4)], {
    mode: "linear",
    coordinate_transformation_mode: "align_corners",
  });
  builder.node("Reshape", [builder.node("Transpose", [wide], { perm: [0, 3, 1, 2] }), builder.ints(-1)], {}, "y");
  const y = await run(builder.toModel(), [-3, 3], [1, 1, 1, 2]);
  t.same([...y].map(Math.round), [-3, -1, 1, 3]);
});

t.test("mistakes in a graph throw at the call that makes them", async (t) => {
  const builder = new GraphBuilder("wrong");
  builder.input("x", "float32", [1]);
  t.throws(() => builder.input("x", "float32", [1]), RangeError, "a name twice");
  t.throws(() => builder.node("Add", ["x", "nobody"]), RangeError, "an input that nothing wrote");
  t.throws(() => builder.constant([1, 2], [3]), RangeError, "a count that does not fit");
  builder.node("Softmax", ["x"], { axis: 0.5 });
  t.throws(() => builder.toModel(), /axis/, "a fraction where ONNX wants an integer");
  builder.output("y", "float32", [1]);
  t.throws(() => builder.toGraph(), RangeError, "an output that nothing writes");
});

t.test("half precision rounds to nearest, ties to even, with subnormals and infinities", async (t) => {
  const cases: [number, number][] = [
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65520, 0x7c00],
    [1e9, 0x7c00],
    [2 ** -24, 0x0001],
    [2 ** -26, 0x0000],
    [2 ** -14, 0x0400],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [0.1, 0x2e66],
    [Number.NaN, 0x7e00],
  ];
  for (const [value, bits] of cases) t.equal(toFloat16Bits([value])[0], bits, `${value}`);
});
