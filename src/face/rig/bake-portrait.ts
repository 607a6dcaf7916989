// Turns one portrait into a rig: a graph that renders its face from its parameters. Pure computation; runs in a browser
// too.
import type { FacePose } from "../../../shared/face-parameters.ts";
import { cropRgbImage, type PixelBox, type Plane, type RgbImage } from "../../signal/image/raster.ts";
import type { GestureFace } from "../gestures/gesture-face.ts";
import { type FacePoints, mapPoints } from "../portrait/face-points.ts";
import { writeRigGraph } from "../rig-graph/rig-graph.ts";
import type { BakeNote } from "./bake-notes.ts";
import { RIG_GENERATOR_VERSION } from "./generator-version.ts";
import { createFaceGeometry, type FaceGeometry } from "./measure/face-geometry.ts";
import { fitToDrawnEyes } from "./measure/fit-drawn-eyes.ts";
import { type FramedPortrait, framePortrait } from "./measure/frame-portrait.ts";
import { gestureFaceOf } from "./measure/gesture-face-of.ts";
import { fitToGlasses } from "./measure/glasses.ts";
import { measureStyle, type StyleHints } from "./measure/portrait-style.ts";
import { skinShading } from "./measure/skin-shading.ts";
import { restPoseOf } from "./rest-pose.ts";
import { rigDataOf, rigShapeOf } from "./rig-data-of.ts";
import { createRigLayers } from "./rig-layers.ts";
import { createEyeballTextures } from "./textures/eyeball-textures.ts";
import { createLidTextures } from "./textures/lid-textures.ts";
import { createLipTextures } from "./textures/lip-textures.ts";
import { createMouthInterior, ownTeethLiftMm } from "./textures/mouth-interior.ts";

export { RIG_GENERATOR_VERSION };

export interface PortraitMarks {
  /** float32 [478 × 3] (or [468 × 3] without irises), pixels of the portrait. */
  points: FacePoints;
  /** Hints about a drawn character. */
  style?: StyleHints;
}

export interface BakeOptions {
  /** Least side of the square region that moves, px, a multiple of 8: a face that fills the canvas gets a larger one.
   *  The cost grows with its area. Default 384. */
  regionPx?: number;
  /** Canvas size in px, even. Default 512 × 512. */
  canvas?: { widthPx: number; heightPx: number };
  /** Probability of person, 0..1, one channel of the portrait's size; see `PortraitFraming`. */
  person?: Plane;
  /** Changes the framed image before the rig is made from it, for example its background. Must keep the size. */
  retouch?: (framed: FramedPortrait) => Promise<RgbImage>;
  /** Called with the progress of the bake, 0..1. */
  onProgress?: (share: number) => void;
  /** Ends the bake at its next step. */
  signal?: AbortSignal;
}

export interface BakedPortrait {
  /** ONNX file; see `writeRigGraph`. */
  rig: Uint8Array;
  /** The whole image, of which the rig renders `region`. */
  canvas: RgbImage;
  region: PixelBox;
  notes: BakeNote[];
  restPose: FacePose;
  /** What the face allows its gestures. */
  gestureFace: GestureFace;
  /** Face points in pixels of the canvas. */
  points: FacePoints;
  /** Pixels of the canvas for each pixel of the portrait: above 1 it was enlarged. */
  scale: number;
}

/** Bakes a portrait with known face points. Takes about two seconds. Throws RangeError for points without extent or
 *  sizes that do not fit together, and the reason of the signal. */
export async function bakePortrait(
  portrait: RgbImage,
  marks: PortraitMarks,
  options: BakeOptions = {},
): Promise<BakedPortrait> {
  const report = async (share: number) => {
    options.onProgress?.(share);
    // Yields to the event loop between heavy steps.
    await new Promise((resolve) => setTimeout(resolve, 0));
    options.signal?.throwIfAborted();
  };
  const framed = framePortrait(portrait, marks.points, {
    canvas: options.canvas ?? { widthPx: 512, heightPx: 512 },
    regionPx: options.regionPx ?? 384,
    person: options.person,
  });
  const { widthPx: regionPx } = framed.region;
  const canvas = options.retouch ? await options.retouch(framed) : framed.canvas;
  await report(0.15);
  const region = cropRgbImage(canvas, framed.region);
  const inRegion = { scaleX: 1, scaleY: 1, shiftX: framed.region.x, shiftY: framed.region.y };
  const marked = createFaceGeometry(mapPoints(framed.points, inRegion), regionPx);
  const geometry = fitToGlasses(fitToDrawnEyes(marked, region), region);
  const style = measureStyle(region, geometry, marks.style);
  const lips = createLipTextures(region, geometry);
  const layers = createRigLayers(geometry, {
    teethLiftMm: ownTeethLiftMm(geometry, style),
    shading: skinShading(region, geometry),
    creases: lips.creases,
  });
  await report(0.4);
  const lids = createLidTextures(region, geometry);
  const eyeballs = createEyeballTextures(region, geometry);
  await report(0.6);
  const interior = createMouthInterior(region, geometry, style, layers.boxes.interior);
  await report(0.8);
  const parts = { regionPx, layers, lips, lids, eyeballs, interior, cavity: style.cavity };
  const rig = writeRigGraph(rigShapeOf(parts), rigDataOf(parts), RIG_GENERATOR_VERSION);
  await report(1);
  return {
    rig,
    canvas,
    region: framed.region,
    notes: notesOn(framed, geometry),
    restPose: restPoseOf(geometry.mouth),
    gestureFace: gestureFaceOf(geometry, region),
    points: framed.points,
    scale: framed.scale,
  };
}

function notesOn({ backdrop }: FramedPortrait, { eyes }: FaceGeometry): BakeNote[] {
  return [
    ...(backdrop === "blurred" ? (["blurred-backdrop"] as const) : []),
    ...(eyes.every(({ lidTravel }) => lidTravel === 0) ? (["hidden-eyes"] as const) : []),
  ];
}
