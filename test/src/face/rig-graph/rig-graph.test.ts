// The rig graph as it is written: its nodes are what stored avatars hold, and what the executor renders.
import { createHash } from "node:crypto";
import t from "tap";
import type { RigData } from "../../../../src/face/rig-graph/rig-data.ts";
import { rigGraphOf, writeRigGraph } from "../../../../src/face/rig-graph/rig-graph.ts";
import type { RigShape } from "../../../../src/face/rig-graph/rig-shape.ts";

const box = (x: number, y: number, widthPx: number, heightPx: number) => ({ x, y, widthPx, heightPx });
const EARLIER: RigShape = {
  regionPx: 384,
  parameterCount: 21,
  boxes: {
    eyes: box(88, 144, 208, 96),
    eyesSource: box(104, 152, 176, 64),
    mouth: box(120, 240, 144, 128),
    mouthSource: box(96, 200, 192, 184),
    interior: box(136, 256, 112, 104),
  },
  head: { columns: 64, rows: 64, inputs: Array.from({ length: 20 }, (_, index) => index) },
  jaw: { columns: 36, rows: 32, inputs: [1, 2, 3, 21] },
  lights: [],
};
/** A face with expressions. */
const SHAPE: RigShape = {
  ...EARLIER,
  parameterCount: 33,
  head: { ...EARLIER.head, inputs: Array.from({ length: 32 }, (_, index) => index) },
  jaw: { ...EARLIER.jaw, inputs: [1, 2, 3, 29, 33] },
  lights: [21, 22, 23, 26],
};
/** Of nodes and constants. If one changes, the executor renders no stored avatar of that kind any more until its model
 *  is generated again: they all need ONNX Runtime, at eight times the CPU. See docs/decisions/0041. */
const WRITTEN = [
  { shape: EARLIER, hash: "7a2aa08a8706a6b8", tensors: 15 },
  { shape: SHAPE, hash: "deba3ce24c8c01a8", tensors: 16 },
] as const;

t.test("the nodes of a rig are those of stored avatars", async (t) => {
  for (const { shape, hash: written, tensors } of WRITTEN) {
    const { graph, tensorNames } = rigGraphOf(shape);
    const hash = createHash("sha256");
    for (const { operator, inputs, outputs, attributes } of graph.nodes) {
      hash.update(JSON.stringify([operator, inputs, outputs, attributes]));
    }
    for (const { name, type, dims, bytes } of graph.initialisers)
      hash.update(`${name} ${type} [${dims}]`).update(bytes);
    t.equal(hash.digest("hex").slice(0, 16), written, `${shape.parameterCount} parameters`);
    t.equal(tensorNames.size, tensors);
  }
});

t.test("the graph without data differs from a face's in its data only", async (t) => {
  const { graph, tensorNames } = rigGraphOf(SHAPE);
  const stored = new Map(graph.initialisers.map(({ name, dims }) => [name, dims]));
  const lengthOf = (name: string) => stored.get(name)!.reduce((product, size) => product * size, 1);
  const data = Object.fromEntries([...tensorNames].map(([key, name]) => [key, new Float32Array(lengthOf(name))]));
  t.ok(writeRigGraph(SHAPE, data as unknown as RigData, "1").length > 1_000_000);
  t.throws(
    () => writeRigGraph(SHAPE, { ...(data as unknown as RigData), gaze: [1] }, "1"),
    RangeError,
    "data of another size",
  );
  const empty = graph.initialisers.filter(({ bytes }) => bytes.length === 0).map(({ name }) => name);
  t.same(empty.sort(), [...tensorNames.values()].sort());
});
