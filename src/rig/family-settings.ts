// The rig of each model family: one rig at different settings.
import type { ModelFamily } from "../../shared/models.ts";

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
