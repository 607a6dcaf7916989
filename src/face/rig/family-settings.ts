// The rig of each model family: one rig at different settings.
import type { ModelFamily } from "../../../shared/models.ts";
import type { CanvasSize } from "../figure/canvas-sizes.ts";

/** Shorter side of the canvas that the regions are meant for, px. */
const CANVAS_SIDE_PX = 512;

export interface RigSettings {
  /** Side of the face region that is rendered, in px. */
  faceRegionPx: 256 | 384;
  /** Strength of head motion, 0 (still) to 1. */
  headMotion: number;
}

export const RIG_SETTINGS: Readonly<Record<ModelFamily, RigSettings>> = Object.freeze({
  "essence-1": { faceRegionPx: 384, headMotion: 0.15 },
  "expression-1": { faceRegionPx: 384, headMotion: 1 },
  "essence-2": { faceRegionPx: 384, headMotion: 1 },
  "essence-2-light": { faceRegionPx: 256, headMotion: 1 },
  "essence-2-quality": { faceRegionPx: 384, headMotion: 1 },
  "expression-2": { faceRegionPx: 384, headMotion: 1 },
});

/** Least side of the face region on a canvas of another size, px, a multiple of 8: the face keeps its share of it. */
export function regionSideOn(family: ModelFamily, { widthPx, heightPx }: CanvasSize): number {
  const shorter = Math.min(widthPx, heightPx);
  return Math.min(
    8 * Math.floor(shorter / 8),
    8 * Math.round((RIG_SETTINGS[family].faceRegionPx * shorter) / CANVAS_SIDE_PX / 8),
  );
}
