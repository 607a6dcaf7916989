// The executor of rigs against the graph in ONNX Runtime, which is the reference, and against damaged and hostile
// files.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createSeededRandom } from "../../../../../lab/soak/seeded-random.ts";
import { EngineError } from "../../../../../shared/engine-error.ts";
import { EARLIER_PARAMETER_COUNT, FACE_PARAMETER_COUNT } from "../../../../../shared/face-parameters.ts";
import type { Imx } from "../../../../../src/face/imx/imx.ts";
import { readImx } from "../../../../../src/face/imx/read-imx.ts";
import { writeImx } from "../../../../../src/face/imx/write-imx.ts";
import { openAvatar } from "../../../../../src/face/rendering/open-avatar.ts";
import { type MatchedRig, matchRig } from "../../../../../src/face/rendering/rig-executor/match-rig.ts";
import { openRigExecutor } from "../../../../../src/face/rendering/rig-executor/open-rig-executor.ts";
import type { InferenceRuntime } from "../../../../../src/signal/inference/inference-runtime.ts";
import { type InspectedTensor, inspectModel } from "../../../../../src/signal/onnx/inspect-model.ts";
import { bakedFace } from "../../../../helpers/faces/baked-face.ts";
import { compareRenderers, seededPoses } from "../../../../helpers/faces/compare-renderers.ts";
import { earlierAvatar } from "../../../../helpers/faces/earlier-rig.ts";
import { runtime } from "../../../../helpers/faces/face-of.ts";
import { smallRig } from "../../../../helpers/faces/small-avatar.ts";
import { forkModule } from "../../../../helpers/processes/fork-module.ts";

/** A runtime that cannot load a graph. */
const withoutGraphs: InferenceRuntime = {
  ...runtime,
  createSession: () => Promise.reject(new Error("a graph was loaded")),
};

/** Regions of two sizes. */
const photograph = () => bakedFace("photograph");
const drawing = () => bakedFace("drawing", "essence-2-light");

t.test(
  "frames are within one level of the graph's, two on lit skin, and 99.5 % of the samples are equal",
  async (t) => {
    for (const bake of [photograph, drawing]) {
      const imx = await bake();
      const { largest, equalShare } = await compareRenderers(imx, runtime, seededPoses(12, 7));
      const size = `${imx.manifest.region.sizePx} px`;
      t.ok(largest <= 2, `${size}: largest difference ${largest}`);
      t.ok(equalShare >= 0.995, `${size}: ${(100 * equalShare).toFixed(3)} % equal`);
    }
  },
);

t.test("a rig of an earlier version shows what it showed, and needs no graph", async (t) => {
  const imx = await drawing();
  const earlier = await readImx(await writeImx(earlierAvatar(imx)));
  const poses = seededPoses(6, 8);
  const { largest, equalShare } = await compareRenderers(earlier, runtime, poses);
  t.ok(largest <= 1, `largest difference ${largest}`);
  t.ok(equalShare >= 0.995, `${(100 * equalShare).toFixed(3)} % equal`);
  const [old, today] = await Promise.all([openAvatar(earlier, withoutGraphs), openAvatar(imx, withoutGraphs)]);
  for (const { parameters, breath } of poses) {
    const shown = (await old.render(parameters, breath)).data.slice();
    const expressed = (await today.render(parameters, breath)).data.slice();
    t.not(Buffer.compare(shown, expressed), 0, "it lacks the parameters of expressions");
    parameters.fill(0, EARLIER_PARAMETER_COUNT);
    t.equal(Buffer.compare(shown, (await today.render(parameters, breath)).data), 0, "all others are the same");
  }
  await Promise.all([old.close(), today.close()]);
});

t.test("a frame has its own buffer, and stays as it is while the next one is rendered", async (t) => {
  const avatar = await openAvatar(await drawing(), withoutGraphs);
  const [first, second] = seededPoses(2, 9);
  const shown = await avatar.render(first.parameters, first.breath);
  const bytes = shown.data.slice();
  t.equal(shown.data.byteLength, shown.data.buffer.byteLength, "the SDK reads from the start of a buffer");
  await avatar.render(second.parameters, second.breath);
  t.same(shown.data, bytes);
  t.same((await avatar.render(first.parameters, first.breath)).data, bytes, "the pose alone decides the frame");
  await avatar.close();
  await avatar.close();
});

t.test(
  "a process that renders and runs lip sync does not load ONNX Runtime until a graph needs it",
  { skip: process.platform === "linux" ? false : "loaded libraries are read from /proc" },
  async (t) => {
    const file = join(t.testdir({}), "avatar.imx");
    await writeFile(file, await writeImx(await drawing()));
    const child = forkModule(new URL("./renders-without-onnx-runtime.ts", import.meta.url), [file]);
    const messages: unknown[] = [];
    child.on("message", (message) => messages.push(message));
    const [status] = await once(child, "exit");
    t.equal(status, 0);
    t.match(messages, [{ frameBytes: 393_216, beforeGraph: false, afterGraph: true }]);
  },
);

t.test("the graph renders on a GPU, on demand, and where the graph is not the writer's", async (t) => {
  const imx = await drawing();
  const canvas = { data: new Uint8Array(0), widthPx: 0, heightPx: 0 };
  t.equal(await openRigExecutor(imx, { ...runtime, provider: "cuda" }, canvas), null);
  await t.rejects(openAvatar(imx, withoutGraphs, { executor: "runtime" }), { code: "bundle-invalid" });
  const tampered = { ...imx, rig: new Uint8Array(imx.rig) };
  flip(constantsOf(tampered.rig)[0], 0);
  await t.rejects(openAvatar(tampered, withoutGraphs), { code: "bundle-invalid" }, "the graph is tried");
  t.match(matchRig(smallRig()), { mismatch: String });
  t.throws(() => matchRig(new Uint8Array(100)), EngineError);
});

t.test("one changed byte in any constant but a face's own data is noticed", async (t) => {
  const random = createSeededRandom(3);
  const rig = new Uint8Array((await drawing()).rig);
  const constants = constantsOf(rig);
  t.ok(constants.length > 150, `${constants.length} constants`);
  for (const tensor of constants) {
    const at = random.integer(tensor.raw.length);
    flip(tensor, at);
    t.match(matchRig(rig), { mismatch: String }, `${tensor.name} at ${at}`);
    flip(tensor, at);
  }
  t.notOk("mismatch" in matchRig(rig), "all bytes are back");
});

t.test("damaged nodes are a mismatch or no graph, never another error", async (t) => {
  const random = createSeededRandom(4);
  const rig = new Uint8Array((await drawing()).rig);
  // Nodes come before tensors; the name of the program that wrote the file comes before them.
  const nodesEnd = Math.min(...inspectModel(rig).tensors.map(({ raw }) => raw.byteOffset - rig.byteOffset)) - 64;
  for (let turn = 0; turn < 150; turn++) {
    const at = 64 + random.integer(nodesEnd - 64);
    const before = rig[at];
    rig[at] ^= 1 << random.integer(8);
    try {
      t.match(matchRig(rig), { mismatch: String }, `byte ${at}`);
    } catch (error) {
      t.type(error, EngineError, `byte ${at}`);
    }
    rig[at] = before;
  }
});

t.test("a size that no rig has is refused before anything is made of it", async (t) => {
  const rig = new Uint8Array((await drawing()).rig);
  const shapes = inspectModel(rig).tensors.filter(({ type, ints }) => type === "int64" && (ints?.length ?? 0) >= 2);
  t.ok(shapes.length > 20);
  for (const { name, raw } of shapes) {
    const before = raw.slice();
    for (const size of [2n ** 40n, -8n]) {
      new DataView(raw.buffer, raw.byteOffset).setBigInt64(raw.length - 8, size, true);
      t.match(matchRig(rig), { mismatch: String }, `${name}: ${size}`);
    }
    raw.set(before);
  }
});

t.test("hostile numbers in poses, fields, weights and textures stay inside the region", async (t) => {
  const imx = await photograph();
  const poses = seededPoses(2, 11).map(({ parameters }) => parameters);
  for (const value of [Number.NaN, 3e38, -3e38, Number.POSITIVE_INFINITY]) {
    poses.push(new Float32Array(FACE_PARAMETER_COUNT).fill(value));
    for (let k = 0; k < FACE_PARAMETER_COUNT; k += 3) {
      poses.push(new Float32Array(FACE_PARAMETER_COUNT).map((_, index) => (index === k ? value : 0.3)));
    }
  }
  await assertInside(t, { ...imx, chest: null }, poses, "the face's own numbers");
  for (const float of [Number.NaN, 3e38, -3e38]) {
    const rig = new Uint8Array(imx.rig);
    const { tensors } = matchRig(rig) as MatchedRig;
    for (const [name, bytes] of tensors) {
      if (name.endsWith("Field")) fillWords(bytes, 2, (view, at) => view.setUint16(at, halfOf(float), true));
      else if (bytes.length % 4 || ["head", "eyeballs", "lids", "upperLip", "lowerLip", "interior"].includes(name))
        bytes.fill(255);
      else fillWords(bytes, 4, (view, at) => view.setFloat32(at, float, true));
    }
    await assertInside(t, { ...imx, rig, chest: null }, poses, `all data ${float}`);
  }
  const breathing = await openAvatar(imx, withoutGraphs);
  const still = (await breathing.render(poses[0], 1)).data.slice();
  for (const breath of [Number.NaN, Number.POSITIVE_INFINITY, 1e30]) {
    t.same((await breathing.render(poses[0], breath)).data, still, `a breath of ${breath} is the portrait's`);
  }
  await breathing.render(poses[0], Number.NEGATIVE_INFINITY);
  await breathing.close();
});

/** Renders poses and checks that no byte outside the region changes. */
async function assertInside(t: Test, imx: Imx, poses: readonly Float32Array[], label: string): Promise<void> {
  const avatar = await openAvatar(imx, withoutGraphs);
  const { x, y, sizePx } = imx.manifest.region;
  const outside = ({ data, widthPx, heightPx }: { data: Uint8Array; widthPx: number; heightPx: number }) =>
    data.filter((_, at) => {
      const isLuma = at < widthPx * heightPx;
      const inPlane = isLuma ? at : (at - widthPx * heightPx) % ((widthPx * heightPx) / 4);
      const scale = isLuma ? 1 : 2;
      const column = (inPlane % (widthPx / scale)) * scale;
      const row = Math.floor(inPlane / (widthPx / scale)) * scale;
      return column < x || column >= x + sizePx || row < y || row >= y + sizePx;
    });
  const before = outside(await avatar.render(new Float32Array(FACE_PARAMETER_COUNT), 1));
  for (const pose of poses) await avatar.render(pose, 1);
  const after = outside(await avatar.render(poses[0], 1));
  t.ok(before.length > 1000 && Buffer.compare(before, after) === 0, `${label}: nothing outside the region changes`);
  await avatar.close();
}

/** Tensors of a rig that hold nothing of a face. */
function constantsOf(rig: Uint8Array): InspectedTensor[] {
  const { tensors } = matchRig(rig) as MatchedRig;
  const data = new Set([...tensors.values()].map(({ byteOffset }) => byteOffset));
  return inspectModel(rig).tensors.filter(({ raw }) => raw.length > 0 && !data.has(raw.byteOffset));
}

/** The raw bytes are a view into the file. */
function flip({ raw }: InspectedTensor, at: number): void {
  raw[at] ^= 1;
}

function fillWords(bytes: Uint8Array, size: number, put: (view: DataView, at: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += size) put(view, at);
}

/** The half that a hostile float becomes: no number, or infinite. */
function halfOf(value: number): number {
  return Number.isNaN(value) ? 0x7e00 : value > 0 ? 0x7c00 : 0xfc00;
}
