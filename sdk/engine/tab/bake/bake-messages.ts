// What a page and its bake worker say to each other.
import type { ModelFamily } from "../../../../shared/models.ts";
import type { CanvasSize } from "../../../../src/face/figure/canvas-sizes.ts";
import type { FaceFlaw } from "../../../../src/face/portrait/face-flaw.ts";
import type { BakeNote } from "../../../../src/face/rig/bake-notes.ts";
import type { PixelBox } from "../../../../src/signal/image/raster.ts";
import type { TabBakeProblem } from "./tab-bake-error.ts";

/** Clockwise, degrees. */
export type Turn = 0 | 90 | 180 | 270;

/** What is done to a picture before its face is looked for, in this order. */
export interface PictureEdit {
  /** Default: 0; if no face is upright then, the turn with which one is. */
  turn?: Turn;
  /** Turns the picture around its middle so that a head that leans to the right by this much stands straight.
   *  Default 0. */
  straightenDeg?: number;
  /** The part that is kept, in px of the turned and straightened picture. Default: all of it. */
  crop?: PixelBox;
}

export interface FoundFace {
  /** From brows to chin, in px of the edited picture. */
  box: PixelBox;
  /** The part of the picture with this face alone in it: a `crop` that leaves the others out, in px as that. */
  surroundings: PixelBox;
  /** The finder's probability that this is a face, 0..1. */
  score: number;
  /** How far the head leans to the right, degrees: a `straightenDeg`. */
  tiltDeg: number;
  /** Why it cannot become an avatar; null if it can. */
  flaw: FaceFlaw | null;
  /** What makes it a worse avatar than it could be; null if nothing does. Does not hinder. */
  hint: FaceHint | null;
}

export interface FaceHint {
  kind: "too-dark";
  /** For the visitor, with a remedy. */
  message: string;
}

export interface FoundFaces {
  /** Size of the edited picture: at most 2048 px a side, upright as the camera held it. */
  widthPx: number;
  heightPx: number;
  /** As applied, with the turn that was found. */
  edit: PictureEdit;
  /** Largest first; at most eight. */
  faces: readonly FoundFace[];
  /** Why no face can be baked without asking: that of the first face, `several` or `no-face`. Null: bake face 0. */
  flaw: FaceFlaw | null;
}

export interface BakeSettings {
  /** Default 512 × 512. */
  canvas?: CanvasSize;
  /** Default `essence-2`. */
  family?: ModelFamily;
}

export interface BakedFace {
  /** The avatar file; `readImx` opens it. */
  imx: Uint8Array;
  /** What the avatar lacks; `describeBakeNote` puts it into words. */
  notes: readonly BakeNote[];
}

/** What the worker does. A picture with the number of the one before is not decoded again. */
export type BakeTask =
  | { task: "prepare" }
  | { task: "find"; picture: Blob; number: number; edit: PictureEdit }
  | { task: "bake"; face: number; settings: BakeSettings }
  | { task: "picture" };

export interface BakeResults {
  prepare: null;
  find: FoundFaces;
  bake: BakedFace;
  picture: Blob;
}

export type ToWorker = { id: number; task: BakeTask } | { id: number; cancel: true };

export type FromWorker =
  | { id: number; progress: number }
  | { id: number; result: BakeResults[keyof BakeResults] }
  | { id: number; problem: { code: TabBakeProblem; message: string } };
