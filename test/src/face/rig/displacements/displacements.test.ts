import t from "tap";
import {
  FACE_PARAMETER_COUNT,
  FACE_PARAMETER_INDEX,
  type FacePose,
  toParameterVector,
} from "../../../../../shared/face-parameters.ts";
import { gestureTracks } from "../../../../../src/face/gestures/gesture-track.ts";
import { mapPoints } from "../../../../../src/face/portrait/face-points.ts";
import { DisplacementBasis } from "../../../../../src/face/rig/displacements/displacement-basis.ts";
import { addLipDisplacements, type LipLayer } from "../../../../../src/face/rig/displacements/lip-displacements.ts";
import { eyeOpening, lidShift } from "../../../../../src/face/rig/measure/eye-frame.ts";
import { createFaceGeometry, type FaceGeometry } from "../../../../../src/face/rig/measure/face-geometry.ts";
import { framePortrait } from "../../../../../src/face/rig/measure/frame-portrait.ts";
import { LocalFrame } from "../../../../../src/face/rig/measure/local-frame.ts";
import { fieldData, fieldShape } from "../../../../../src/face/rig/rig-data-of.ts";
import { createRigLayers, type RigLayers } from "../../../../../src/face/rig/rig-layers.ts";
import { forwardField, inverseField } from "../../../../../src/face/rig-graph/graph-displacement.ts";
import { GraphParts } from "../../../../../src/face/rig-graph/graph-parts.ts";
import { RIG_INPUT_COUNT, RIG_INPUT_INDEX, rigInputs } from "../../../../../src/face/rig-graph/rig-inputs.ts";
import { createPlane } from "../../../../../src/signal/image/raster.ts";
import { GraphBuilder } from "../../../../../src/signal/onnx/graph-builder.ts";
import { drawnFace, finder, photographedFace, runtime } from "../../../../helpers/faces/face-of.ts";
import { toRigInputs } from "../../../../helpers/faces/to-rig-inputs.ts";

t.teardown(() => finder.close());

const REGION = 384;
const CANVAS = { widthPx: 512, heightPx: 512 };

async function geometryOf(face: () => Promise<{ image: Parameters<typeof framePortrait>[0]; points: Float32Array }>) {
  const { image, points } = await face();
  const framed = framePortrait(image, points, { canvas: CANVAS, regionPx: REGION });
  const shift = { scaleX: 1, scaleY: 1, shiftX: framed.region.x, shiftY: framed.region.y };
  return createFaceGeometry(mapPoints(framed.points, shift), REGION);
}

const photo = await geometryOf(photographedFace);
const drawing = await geometryOf(drawnFace);

/** v (mouth frame) to which a pose moves the point at (u, v) of a layer. */
function movedV(geometry: FaceGeometry, layer: LipLayer, u: number, v: number, pose: FacePose): number {
  const { frame } = geometry.mouth;
  const x = frame.toX(u, v);
  const y = frame.toY(u, v);
  const basis = new DisplacementBasis({ x, y, widthPx: 1, heightPx: 1 }, 1, 1);
  addLipDisplacements(basis, layer, geometry, 0, 0);
  let [dx, dy] = [0, 0];
  toRigInputs(toParameterVector(pose)).forEach((value, index) => {
    dx += value * basis.data[2 * index];
    dy += value * basis.data[2 * index + 1];
  });
  return frame.v(x + dx, y + dy);
}

t.test("a local frame returns its points unchanged for every rotation of the feature", async (t) => {
  const frame = new LocalFrame({ x: 30, y: 80 }, { x: 90, y: 50 });
  for (const [x, y] of [
    [0, 0],
    [60, 65],
    [123.5, -7],
  ]) {
    t.ok(Math.abs(frame.toX(frame.u(x, y), frame.v(x, y)) - x) < 1e-9);
    t.ok(Math.abs(frame.toY(frame.u(x, y), frame.v(x, y)) - y) < 1e-9);
  }
  t.ok(Math.abs(frame.u(90, 50) - 1) < 1e-12 && Math.abs(frame.v(90, 50)) < 1e-12, "corners are at u = ±1, v = 0");
  t.throws(() => new LocalFrame({ x: 1, y: 1 }, { x: 1, y: 1 }), RangeError);
});

t.test("closing brings parted lips together along the whole mouth, with a slight overlap", async (t) => {
  t.ok(photo.mouth.maxGap > 0.15, "the photo's lips are parted");
  for (let u = -0.8; u <= 0.81; u += 0.1) {
    const upper = movedV(photo, "head", u, photo.mouth.innerUpper(u), { close: 1 });
    const lower = movedV(photo, "jaw", u, photo.mouth.innerLower(u), { close: 1 });
    const gapPx = (lower - upper) * photo.mouth.frame.unitPx;
    t.ok(gapPx <= -0.5 && gapPx > -4, `gap at u = ${u.toFixed(1)} is ${gapPx.toFixed(2)} px`);
  }
});

for (const [name, geometry] of [
  ["photo", photo],
  ["drawing", drawing],
] as const) {
  t.test(`${name}: the lips part further the more the jaw opens`, async (t) => {
    const gaps = [0, 0.25, 0.5, 0.75, 1].map((jaw) => {
      const pose = { close: 1, jaw };
      return (
        movedV(geometry, "jaw", 0, geometry.mouth.innerLower(0), pose) -
        movedV(geometry, "head", 0, geometry.mouth.innerUpper(0), pose)
      );
    });
    for (let i = 1; i < gaps.length; i++)
      t.ok(gaps[i] > gaps[i - 1] + 0.1, gaps.map((gap) => gap.toFixed(2)).join(" "));
  });

  t.test(`${name}: an open jaw behind rounded lips gives a round opening with touching sides`, async (t) => {
    const gapPx = (u: number, pose: FacePose) =>
      (movedV(geometry, "jaw", u, geometry.mouth.innerLower(u), pose) -
        movedV(geometry, "head", u, geometry.mouth.innerUpper(u), pose)) *
      geometry.mouth.frame.unitPx;
    const spread: FacePose = { close: 1, jaw: 0.3 };
    const rounded: FacePose = { close: 1, jaw: 0.3, pucker: 0.7, funnel: 0.4 };
    t.ok(gapPx(0, rounded) > 5, `${gapPx(0, rounded).toFixed(1)} px open in the middle`);
    for (const u of [-0.72, 0.72]) {
      t.ok(gapPx(u, spread) > 2, `spread lips are open at ${u}: ${gapPx(u, spread).toFixed(1)} px`);
      t.ok(gapPx(u, rounded) < 0.8, `rounded ones touch: ${gapPx(u, rounded).toFixed(1)} px`);
    }
  });

  t.test(`${name}: an open jaw parts the lips between the corners, not at them`, async (t) => {
    const gapPx = (u: number, jaw: number) =>
      (movedV(geometry, "jaw", u, geometry.mouth.innerLower(u), { close: 1, jaw }) -
        movedV(geometry, "head", u, geometry.mouth.innerUpper(u), { close: 1, jaw })) *
      geometry.mouth.frame.unitPx;
    for (const side of [-1, 1]) {
      const u = side * geometry.mouth.innerHalfWidth;
      t.ok(
        Math.abs(gapPx(u, 0.7) - gapPx(u, 0)) < 0.1,
        `${gapPx(u, 0).toFixed(2)} px, then ${gapPx(u, 0.7).toFixed(2)}`,
      );
    }
  });

  t.test(`${name}: both layers move equally where they meet`, async (t) => {
    const poses: FacePose[] = [
      { jaw: 1 },
      { pucker: 1 },
      { funnel: 1 },
      { smile: 1 },
      { wide: 1 },
      { lowdep: 1 },
      { close: 1 },
    ];
    const { chinV, outerLower } = geometry.mouth;
    for (const pose of poses) {
      for (const [u, v] of [
        [0, chinV + 0.1],
        [0.5, chinV + 0.1],
        [1.15, outerLower(1) + 0.3],
        [-1.15, outerLower(-1) + 0.3],
      ]) {
        const apartPx =
          (movedV(geometry, "head", u, v, pose) - movedV(geometry, "jaw", u, v, pose)) * geometry.mouth.frame.unitPx;
        t.ok(Math.abs(apartPx) < 1.5, `${JSON.stringify(pose)} at ${u}, ${v.toFixed(2)}: ${apartPx.toFixed(2)} px`);
      }
    }
  });

  t.test(`${name}: a closing lid does not fold its skin and reaches the lower lid`, async (t) => {
    for (const eye of geometry.eyes) {
      for (const u of [-0.6, 0, 0.6]) {
        for (const closure of [0, 0.3, 0.7, 1]) {
          let before = Number.NEGATIVE_INFINITY;
          for (let v = eye.upper(u) - eye.lidReach(u) - 0.3; v < eye.lower(u) + 0.5; v += 0.02) {
            const from = v - lidShift(eye, u, v, closure);
            t.ok(from > before, "skin folds over itself");
            before = from;
          }
        }
        const margin = eye.upper(u) + eyeOpening(eye, u);
        t.ok(Math.abs(margin - lidShift(eye, u, margin, 1) - eye.upper(u)) < 1e-9, "the margin arrives");
        t.equal(lidShift(eye, u, margin, 0), 0, "an open lid keeps still");
      }
    }
  });
}

t.test("a face gets its own creases back with the fold, and no second ones", async (t) => {
  const creases = createPlane(REGION, REGION);
  const { frame } = photo.mouth;
  const [x, y] = [Math.round(frame.toX(1.3, -0.3)), Math.round(frame.toY(1.3, -0.3))];
  for (let row = y - 6; row <= y + 6; row++) creases.data.fill(-0.1, row * REGION + x - 6, row * REGION + x + 7);
  const foldAt = (layers: RigLayers, of: { x: number; y: number }) => {
    const { columns, rows } = layers.head;
    const cell = Math.floor((of.y * rows) / REGION) * columns + Math.floor((of.x * columns) / REGION);
    return layers.light.get(RIG_INPUT_INDEX.fold)![cell];
  };
  const [without, own] = [createRigLayers(photo), createRigLayers(photo, { creases })];
  t.ok(foldAt(own, { x, y }) < foldAt(without, { x, y }) - 0.09, "its own");
  t.equal(foldAt(own, { x: x + 40, y }), foldAt(without, { x: x + 40, y }), "elsewhere as without");
  const deepest = (layers: RigLayers) => Math.min(...layers.light.get(RIG_INPUT_INDEX.fold)!);
  t.ok(deepest(createRigLayers(drawing)) < 2 * deepest(without), "a calm face has one made up");
});

t.test("raised cheeks broaden a mouth less, the more of a photographed smile comes back", async (t) => {
  const rise = (geometry: FaceGeometry) => -movedV(geometry, "head", 1, 0, { cheeks: 1 });
  t.ok(rise(drawing) > 0.15, `${rise(drawing)}`);
  t.ok(rise(photo) > 0 && rise(photo) < 0.07, `${rise(photo)}`);
});

t.test(
  "the graph's inverse undoes the forward field: half a pixel off on hard poses, one where rounded lips shear most",
  async (t) => {
    const layers = createRigLayers(photo);
    const poses: FacePose[] = [
      { close: 1, smile: -0.75, wide: -0.26 },
      { close: 1, jaw: 0.8, lowdep: 0.3, upraise: 0.2 },
      { close: 1, pucker: 0.7, funnel: 0.5, jaw: 0.2, smile: -0.7 },
      { close: 1, yaw: -1, pitch: 0.5, roll: 1, jaw: 0.6, blinkL: 1, blinkR: 1 },
    ];
    for (const [name, steps] of [
      ["head", 2],
      ["jaw", 3],
    ] as const) {
      const basis = layers[name];
      const builder = new GraphBuilder("inverse");
      const parts = new GraphParts(builder, { [`${name}Field`]: fieldData(basis) });
      const parameters = builder.input("params", "float32", [1, FACE_PARAMETER_COUNT]);
      const shape = [1, 2, basis.rows, basis.columns];
      builder.output("forward", "float32", shape);
      builder.output("inverse", "float32", shape);
      const fields = {
        head: fieldShape(layers.head),
        jaw: fieldShape(layers.jaw),
        parameterCount: FACE_PARAMETER_COUNT,
      };
      const inputs = rigInputs(parts, parameters, FACE_PARAMETER_COUNT);
      const field = forwardField(parts, `${name}Field`, fields, inputs);
      builder.node("Identity", [field], {}, "forward");
      builder.node(
        "Identity",
        [inverseField(parts, field, basis, steps, name === "head" ? "zeros" : "border")],
        {},
        "inverse",
      );
      const session = await runtime.createSession(builder.toModel());
      for (const pose of poses) {
        const feeds = { params: new runtime.Tensor("float32", toParameterVector(pose), [1, FACE_PARAMETER_COUNT]) };
        const { forward, inverse } = await session.run(feeds);
        const errors = residuals(basis, forward.data as Float32Array, inverse.data as Float32Array);
        const p99 = errors[Math.floor(0.99 * errors.length)];
        t.ok(
          p99 < (pose.pucker ? 1 : 0.5),
          `${name} ${JSON.stringify(pose)}: p99 ${p99.toFixed(3)} px, max ${errors.at(-1)?.toFixed(2)}`,
        );
      }
      await session.release();
    }
  },
);

/** |d(x) + f(x + d(x))| in pixels, ascending, for cells with a point that stays on the grid. */
function residuals(basis: DisplacementBasis, forward: Float32Array, inverse: Float32Array): number[] {
  const { rows, columns, box } = basis;
  const plane = rows * columns;
  const errors: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const d = [inverse[at], inverse[plane + at]];
      const x = column + (d[0] * columns) / 2;
      const y = row + (d[1] * rows) / 2;
      if (x < 1 || y < 1 || x > columns - 2 || y > rows - 2) continue;
      const [left, top] = [Math.floor(x), Math.floor(y)];
      const [fx, fy] = [x - left, y - top];
      const error = [0, 1].map((axis) => {
        const value = (r: number, c: number) => forward[axis * plane + r * columns + c];
        const moved =
          (value(top, left) * (1 - fx) + value(top, left + 1) * fx) * (1 - fy) +
          (value(top + 1, left) * (1 - fx) + value(top + 1, left + 1) * fx) * fy;
        return ((d[axis] + moved) * (axis === 0 ? box.widthPx : box.heightPx)) / 2;
      });
      errors.push(Math.hypot(error[0], error[1]));
    }
  }
  return errors.sort((a, b) => a - b);
}

t.test("the graph makes the same corrective inputs as the formula", async (t) => {
  const builder = new GraphBuilder("inputs");
  const parts = new GraphParts(builder, {});
  const parameters = builder.input("params", "float32", [1, FACE_PARAMETER_COUNT]);
  builder.output("inputs", "float32", [1, RIG_INPUT_COUNT]);
  builder.node("Identity", [rigInputs(parts, parameters, FACE_PARAMETER_COUNT)], {}, "inputs");
  const session = await runtime.createSession(builder.toModel());
  for (const pose of [{ jaw: 0.5 }, { jaw: 0.4, funnel: 0.4 }, { jaw: 0.3, pucker: 1, funnel: 1, yaw: -1 }]) {
    const vector = toParameterVector(pose);
    const { inputs } = await session.run({ params: new runtime.Tensor("float32", vector, [1, FACE_PARAMETER_COUNT]) });
    const expected = toRigInputs(vector);
    (inputs.data as Float32Array).forEach((value, index) => {
      t.ok(Math.abs(value - expected[index]) < 1e-6, `${JSON.stringify(pose)}: input ${index} is ${value}`);
    });
  }
  await session.release();
});

t.test("gestures start and end at rest, stay in range, and a nod moves the head down and up", async (t) => {
  for (const [name, track] of gestureTracks()) {
    t.equal(track.length % FACE_PARAMETER_COUNT, 0, name);
    t.ok(track.length / FACE_PARAMETER_COUNT >= 20, `${name} lasts at least 0.8 s`);
    t.ok(
      track.subarray(0, FACE_PARAMETER_COUNT).every((value) => value === 0) &&
        track.subarray(-FACE_PARAMETER_COUNT).every((value) => value === 0),
      name,
    );
    t.ok(
      track.every((value) => Math.abs(value) <= 1),
      name,
    );
    t.ok(
      track.some((value) => Math.abs(value) > 0.1),
      `${name} shows`,
    );
  }
  const nod = gestureTracks().get("nod")!;
  const pitch = Array.from(
    { length: nod.length / FACE_PARAMETER_COUNT },
    (_, frame) => nod[frame * FACE_PARAMETER_COUNT + FACE_PARAMETER_INDEX.pitch],
  );
  t.ok(Math.max(...pitch) > 0.5 && Math.min(...pitch) < 0);
});
