// Tasks and results of the portrait process.
import type { ModelFamily } from "../../../shared/models.ts";
import type { CanvasSize } from "../../../src/face/figure/canvas-sizes.ts";
import type { FaceMarks } from "../../../src/face/portrait/face-marks.ts";
import type { BakeNote } from "../../../src/face/rig/bake-notes.ts";
import type { StyleHints } from "../../../src/face/rig/measure/portrait-style.ts";
import type { AspectRatio } from "../record/agent.ts";

/** How to check the subject: `refuse` anything but one photographed person with a large enough face; `classify` whether
 *  it is one; `none`: no check. */
export type SubjectCheck = "refuse" | "classify" | "none";

export interface InspectTask {
  task: "inspect";
  /** Image file as received. */
  bytes: Uint8Array;
  check: SubjectCheck;
}

export interface InspectResult {
  /** The upright image, at most 2048 px a side, without metadata, as JPEG. */
  portrait: Uint8Array;
  widthPx: number;
  heightPx: number;
  /** Whether it shows the face of a photographed person; false if not checked. */
  isPerson: boolean;
  /** Height of the face oval, hairline to chin; null if no face was looked for, or the finder is unsure of it. */
  faceHeightPx: number | null;
}

export interface LocateTask {
  task: "locate";
  /** Image file. */
  bytes: Uint8Array;
}

/** The face in an image, or a guess for a person to correct. */
export type LocateResult =
  | { isSure: true; points: Float32Array }
  | {
      isSure: false;
      guess: FaceMarks;
      /** Why the finder is unsure, in words for people. */
      reason: string;
    };

export interface BakeTask {
  task: "bake";
  /** Image file. */
  bytes: Uint8Array;
  family: ModelFamily;
  aspectRatio: AspectRatio;
  /** Whether the background becomes green. */
  isTransparent: boolean;
  /** Face points: [478 × 3] px, flat. */
  points: Float32Array;
  /** Style hints for a drawn portrait. */
  style: StyleHints | null;
  /** An `.imx`; its gestures are kept if they were made for the agent. */
  gesturesOf?: Uint8Array;
  /** Canvas of another size than the aspect ratio's, on which the face has the same share. */
  canvas?: CanvasSize;
}

export interface BakeResult {
  imx: Uint8Array;
  /** Version of the rig generator that made it, such as 1.4.0. */
  generatorVersion: string;
  notes: BakeNote[];
  /** Pixels of the canvas for each pixel of the portrait: above 1 it was enlarged. */
  scale: number;
}

/** Each task with the type of its result. */
export interface PortraitTasks {
  inspect: { task: InspectTask; result: InspectResult };
  locate: { task: LocateTask; result: LocateResult };
  bake: { task: BakeTask; result: BakeResult };
}
export type PortraitTask = PortraitTasks[keyof PortraitTasks]["task"];
export type PortraitResult = PortraitTasks[keyof PortraitTasks]["result"];
