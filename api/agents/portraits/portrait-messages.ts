// Tasks of the portrait process, and their results.
import type { ModelFamily } from "../../../shared/models.ts";
import type { FaceMarks } from "../../../src/face/face-marks.ts";
import type { StyleHints } from "../../../src/rig/measure/portrait-style.ts";
import type { AspectRatio } from "../agent.ts";

/** What to do about the subject: refuse what is not one photographed person's face, large enough; say whether it is one; or not
 *  look at all. */
export type SubjectCheck = "refuse" | "classify" | "none";

export interface InspectTask {
  task: "inspect";
  /** Picture file as received. */
  bytes: Uint8Array;
  check: SubjectCheck;
}

export interface InspectResult {
  /** The picture upright, at most 2048 px a side, without metadata, as JPEG. */
  portrait: Uint8Array;
  widthPx: number;
  heightPx: number;
  /** Whether it shows the face of a photographed person; false when not looked at. */
  isPerson: boolean;
}

export interface LocateTask {
  task: "locate";
  /** Picture file. */
  bytes: Uint8Array;
}

/** The face of a picture, or a guess for a person to correct. */
export type LocateResult =
  | { isSure: true; points: Float32Array }
  | {
      isSure: false;
      guess: FaceMarks;
      /** Why the finder is unsure, for people. */
      reason: string;
    };

export interface BakeTask {
  task: "bake";
  /** Picture file. */
  bytes: Uint8Array;
  family: ModelFamily;
  aspectRatio: AspectRatio;
  /** Whether the background becomes green. */
  isTransparent: boolean;
  /** Face points: [478 × 3] px, flat. */
  points: Float32Array;
  /** Hints of a drawn portrait. */
  style: StyleHints | null;
}

export interface BakeResult {
  imx: Uint8Array;
}

/** Each task with its result. */
export interface PortraitTasks {
  inspect: { task: InspectTask; result: InspectResult };
  locate: { task: LocateTask; result: LocateResult };
  bake: { task: BakeTask; result: BakeResult };
}
export type PortraitTask = PortraitTasks[keyof PortraitTasks]["task"];
export type PortraitResult = PortraitTasks[keyof PortraitTasks]["result"];
