// Bakes a portrait with known face points to the content of an `.imx`. Loads no file, and imports nothing of Node.
import { FACE_PARAMETERS, toParameterVector } from "../../../shared/face-parameters.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import { i420ToRgb, toI420Frame } from "../../signal/image/i420-frame.ts";
import type { PixelBox, Plane, RgbImage } from "../../signal/image/raster.ts";
import { type Background, replaceBackground } from "../figure/background.ts";
import type { CanvasSize } from "../figure/canvas-sizes.ts";
import { createChestField } from "../figure/chest-field.ts";
import { findPerson } from "../figure/find-person.ts";
import { gestureTracks } from "../gestures/gesture-track.ts";
import type { Imx } from "../imx/imx.ts";
import { faceOval } from "../portrait/face-points.ts";
import { PersonSegmenter } from "../portrait/person-segmenter.ts";
import { layOutPlanes } from "../rendering/canvas-png.ts";
import { openAvatar } from "../rendering/open-avatar.ts";
import { type BakedPortrait, bakePortrait, type PortraitMarks, RIG_GENERATOR_VERSION } from "./bake-portrait.ts";
import type { BakeTools } from "./bake-tools.ts";
import { RIG_SETTINGS } from "./family-settings.ts";

/** Lip-sync network that the mouth poses are tuned with. */
const LIP_SYNC_MODEL = "hearing-1";

export interface BakeImxOptions {
  /** Decides region size and head motion. Default `essence-2`. */
  family?: ModelFamily;
  /** Canvas size in px, even. Default 512 × 512. */
  canvas?: CanvasSize;
  /** Least side of the region that moves, px, a multiple of 8. Default: that of the family. */
  regionPx?: number;
  /** Background of the person. Default: as in the portrait. */
  background?: Background;
  /** Written into the manifest. Default now. */
  createdAt?: Date;
  /** Called with the progress of the bake, 0..1. */
  onProgress?: (share: number) => void;
  /** Ends the bake at its next step. */
  signal?: AbortSignal;
}

/** The finished bundle, ready for `writeImx`. Takes two to three seconds; about 0.8 MB. Throws RangeError as
 *  `bakePortrait`, EngineError as `replaceBackground`, and the reason of the signal. */
export async function bakeImx(
  portrait: RgbImage,
  marks: PortraitMarks,
  tools: BakeTools,
  options: BakeImxOptions = {},
): Promise<{ imx: Imx; baked: BakedPortrait }> {
  const segmenter = await PersonSegmenter.load(tools.runtime, tools.segmenter);
  try {
    return await bakeWith(segmenter, portrait, marks, tools, options);
  } finally {
    await segmenter.close();
  }
}

async function bakeWith(
  segmenter: PersonSegmenter,
  portrait: RgbImage,
  marks: PortraitMarks,
  tools: BakeTools,
  options: BakeImxOptions,
): Promise<{ imx: Imx; baked: BakedPortrait }> {
  const family = options.family ?? "essence-2";
  const { faceRegionPx, headMotion } = RIG_SETTINGS[family];
  const inPortrait = await segmenter.segment(portrait);
  let person: Plane | undefined;
  const baked = await bakePortrait(portrait, marks, {
    regionPx: options.regionPx ?? faceRegionPx,
    canvas: options.canvas,
    person: inPortrait,
    retouch: async (framed) => {
      person = await findPerson({ person: inPortrait, points: marks.points }, framed, segmenter);
      return replaceBackground(framed.canvas, person, options.background ?? { kind: "keep" });
    },
    onProgress: (share) => options.onProgress?.(0.7 * share),
    signal: options.signal,
  });
  const chest = person ? createChestField(person, faceOval(baked.points)) : null;
  const gestures = gestureTracks({ face: baked.gestureFace });
  const withoutPoster: Imx = {
    manifest: {
      family,
      canvas: { widthPx: baked.canvas.widthPx, heightPx: baked.canvas.heightPx },
      region: { x: baked.region.x, y: baked.region.y, sizePx: baked.region.widthPx },
      face: faceBox(baked),
      parameters: [...FACE_PARAMETERS],
      restPose: baked.restPose,
      hearingModel: LIP_SYNC_MODEL,
      gestures: [...gestures.keys()],
      gestureFace: baked.gestureFace,
      ...(chest ? { chest: { columns: chest.columns, rows: chest.rows, travelPx: chest.travelPx } } : {}),
      headMotion,
      generator: { name: "open-avatar-service", version: RIG_GENERATOR_VERSION },
      createdAt: (options.createdAt ?? new Date()).toISOString(),
    },
    rig: baked.rig,
    canvas: await tools.encodePng(layOutPlanes(toI420Frame(baked.canvas))),
    poster: new Uint8Array(0),
    gestures,
    chest,
  };
  options.onProgress?.(0.8);
  const imx = { ...withoutPoster, poster: await renderPoster(withoutPoster, tools) };
  options.onProgress?.(1);
  return { imx, baked };
}

/** The face oval's box with a little room below the chin, even, inside the canvas. */
function faceBox({ points, canvas }: BakedPortrait): PixelBox {
  const { centre, widthPx, heightPx, bottomPx } = faceOval(points);
  const even = (value: number, most: number) => 2 * Math.floor(Math.min(most, Math.max(0, value)) / 2);
  const x = even(centre.x - widthPx / 2, canvas.widthPx - 16);
  const y = even(bottomPx - heightPx, canvas.heightPx - 16);
  return {
    x,
    y,
    widthPx: even(widthPx, canvas.widthPx - x),
    heightPx: even(1.05 * heightPx, canvas.heightPx - y),
  };
}

/** JPEG of the face at rest; rendering it also proves that the rig loads and runs. */
async function renderPoster(imx: Imx, { runtime, encodeJpeg }: BakeTools): Promise<Uint8Array> {
  const avatar = await openAvatar(imx, runtime);
  try {
    const frame = await avatar.render(toParameterVector(imx.manifest.restPose));
    return await encodeJpeg(i420ToRgb(frame));
  } finally {
    await avatar.close();
  }
}
