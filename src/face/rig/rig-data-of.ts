// From the layers and textures of a face to the tensors that its graph stores.
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import type { PixelBox, Plane } from "../../signal/image/raster.ts";
import { rgbToYuv } from "../../signal/image/yuv.ts";
import { type RigData, ROUNDING } from "../rig-graph/rig-data.ts";
import { RIG_INPUT_COUNT, RIG_INPUT_INDEX } from "../rig-graph/rig-inputs.ts";
import { blockTextureBox, type FieldShape, headBox, INTERIOR_LAYERS, type RigShape } from "../rig-graph/rig-shape.ts";
import type { DisplacementBasis } from "./displacements/displacement-basis.ts";
import type { SkinLight } from "./displacements/skin-light.ts";
import { scale } from "./measure/rgb.ts";
import type { CornerBasis, GazeTravel, LidTable } from "./rig-layers.ts";
import type { RigParts } from "./rig-parts.ts";
import { createLayerTexture, stackTextures } from "./textures/layer-texture.ts";

/** Light of the interior that no light reaches directly, relative to the cavity's colour. */
const DARK_SHARE = 0.8;

/** Sizes and places of a face's layers. */
export function rigShapeOf({ regionPx, layers }: RigParts): RigShape {
  const { boxes, head, jaw, light } = layers;
  return {
    regionPx,
    parameterCount: FACE_PARAMETER_COUNT,
    boxes,
    head: fieldShape(head),
    jaw: fieldShape(jaw),
    lights: [...light.keys()],
  };
}

/** The tensors of a face, for `writeRigGraph`. */
export function rigDataOf({ regionPx, layers, lips, lids, eyeballs, interior, cavity }: RigParts): RigData {
  const { boxes } = layers;
  const [y, u, v] = rgbToYuv(...cavity).map((value) => value + ROUNDING);
  const dark = rgbToYuv(...scale(cavity, [DARK_SHARE, DARK_SHARE, DARK_SHARE])).map((value) => value + ROUNDING);
  const texture = (box: PixelBox, colours: readonly Plane[], masks: readonly Plane[] = []) =>
    createLayerTexture(box, colours, masks).values;
  const inside = blockTextureBox(boxes.interior);
  const interiorTextures = INTERIOR_LAYERS.map((name) =>
    createLayerTexture(inside, [interior[name].colour], [interior[name].alpha]),
  );
  const eyes = blockTextureBox(boxes.eyesSource);
  return {
    headField: fieldData(layers.head),
    jawField: fieldData(layers.jaw),
    light: lightData(layers.light),
    lidField: lidData(layers.lids),
    gaze: gazeData(layers.gaze, boxes.eyesSource),
    interiorCorners: cornerData(
      INTERIOR_LAYERS.map((name) => layers[name]),
      boxes.interior,
    ),
    head: texture(blockTextureBox(headBox(regionPx)), [lips.headColour]),
    eyeballs: texture(eyes, [eyeballs.colour]),
    eyeOpenings: texture(eyes, [], [eyeballs.opening]),
    lids: texture(boxes.eyesSource, [lids.openColour, lids.closedColour], lids.alphas),
    upperLip: texture(boxes.mouthSource, [lips.headColour], [lips.headAlpha, lips.headShade]),
    lowerLip: texture(boxes.mouth, [lips.jawColour], [lips.jawAlpha, lips.jawShade]),
    interior: stackTextures(interiorTextures).values,
    cavity: [y, y, y, y, u, v],
    darkLuma: dark.slice(0, 1),
    darkChroma: dark.slice(1),
  };
}

/** Grid of a layer and the inputs that move it. */
export function fieldShape(basis: DisplacementBasis): FieldShape {
  return { columns: basis.columns, rows: basis.rows, inputs: basis.activeInputs() };
}

/** Displacements of the active inputs, in halves of the basis's box. */
export function fieldData(basis: DisplacementBasis): Float32Array {
  const active = basis.activeInputs();
  const plane = basis.rows * basis.columns;
  const values = new Float32Array(active.length * 2 * plane);
  active.forEach((input, index) => {
    for (let axis = 0; axis < 2; axis++) {
      const scale = 2 / (axis === 0 ? basis.box.widthPx : basis.box.heightPx);
      const from = (input * 2 + axis) * plane;
      for (let cell = 0; cell < plane; cell++) {
        values[(index * 2 + axis) * plane + cell] = basis.data[from + cell] * scale;
      }
    }
  });
  return values;
}

function lightData(light: SkinLight): Float32Array {
  const planes = [...light.values()];
  const values = new Float32Array(planes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const plane of planes) {
    values.set(plane, at);
    at += plane.length;
  }
  return values;
}

function lidData({ data, rows, columns, box }: LidTable): Float32Array {
  const plane = rows * columns;
  return data.map((value, index) => {
    const isX = Math.floor(index / plane) % 2 === 0;
    return (value * 2) / (isX ? box.widthPx : box.heightPx);
  });
}

function gazeData(gaze: GazeTravel, source: PixelBox): Float32Array {
  const weights = new Float32Array(2 * RIG_INPUT_COUNT);
  for (const input of ["gazeX", "gazeY"] as const) {
    weights[2 * RIG_INPUT_INDEX[input]] = (gaze[input].x * 2) / source.widthPx;
    weights[2 * RIG_INPUT_INDEX[input] + 1] = (gaze[input].y * 2) / source.heightPx;
  }
  return weights;
}

/** Negated: the inverse of displacements that hardly bend. */
function cornerData(layers: readonly CornerBasis[], box: PixelBox): Float32Array {
  const cells = 2 * 2 * 2;
  const values = new Float32Array(RIG_INPUT_COUNT * layers.length * cells);
  layers.forEach((layer, index) => {
    for (let input = 0; input < RIG_INPUT_COUNT; input++) {
      for (let cell = 0; cell < cells; cell++) {
        const scale = -2 / (cell < 4 ? box.widthPx : box.heightPx);
        values[(input * layers.length + index) * cells + cell] = layer.data[input * cells + cell] * scale;
      }
    }
  });
  return values;
}
