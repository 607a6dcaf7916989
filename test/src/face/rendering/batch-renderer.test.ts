import t from "tap";
import { FACE_PARAMETER_COUNT, toParameterVector } from "../../../../shared/face-parameters.ts";
import { BatchRenderer } from "../../../../src/face/rendering/batch-renderer.ts";
import { batchRig } from "../../../../src/face/rendering/batch-rig.ts";
import { SHEET_POSES } from "../../../../src/face/rendering/sheet-poses.ts";
import { GraphBuilder } from "../../../../src/signal/onnx/graph-builder.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { finder, runtime } from "../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());
const imx = await bakedFace("drawing", "essence-2-light");
const { sizePx } = imx.manifest.region;

t.test("rendering poses in a batch gives the same frames as rendering them one by one", async (t) => {
  const poses = Object.values(SHEET_POSES).map(toParameterVector);
  const batch = await BatchRenderer.open(imx, runtime, poses.length);
  const one = await runtime.createSession(imx.rig);
  const parameters = new Float32Array(poses.length * FACE_PARAMETER_COUNT);
  poses.forEach((pose, i) => {
    parameters.set(pose, i * FACE_PARAMETER_COUNT);
  });
  const planes = await batch.render(parameters);
  let largest = 0;
  const distinct = new Set<string>();
  for (const [i, pose] of poses.entries()) {
    const alone = await one.run({ params: new runtime.Tensor("float32", pose, [1, FACE_PARAMETER_COUNT]) });
    for (const name of ["y", "uv"] as const) {
      const single = alone[name].data as Uint8Array;
      const many = planes[name].subarray(i * single.length, (i + 1) * single.length);
      for (let k = 0; k < single.length; k++) largest = Math.max(largest, Math.abs(single[k] - many[k]));
      if (name === "y") distinct.add(Buffer.from(many).toString("base64"));
    }
  }
  t.ok(largest <= 1, `largest difference ${largest}`);
  t.ok(distinct.size > poses.length / 2, "and the poses differ from each other");
  t.equal(planes.y.length, poses.length * sizePx ** 2);
  await t.rejects(batch.render(new Float32Array(FACE_PARAMETER_COUNT)), RangeError);
  await one.release();
  await batch.close();
  await batch.close();
});

t.test("a graph that mixes the frames of a batch is refused", async (t) => {
  const builder = new GraphBuilder("mixing");
  builder.input("params", "float32", [1, FACE_PARAMETER_COUNT]);
  builder.output("y", "float32", [2, FACE_PARAMETER_COUNT]);
  builder.node("Concat", ["params", "params"], { axis: 0 }, "y");
  t.throws(() => batchRig(builder.toModel(), 4), /Concat of it mixes/);
  t.throws(() => batchRig(imx.rig, 0), RangeError);
});
