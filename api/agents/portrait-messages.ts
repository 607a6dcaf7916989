// What the api and its portrait process say to each other. Sent with structured clone, so bytes travel as bytes.
import type { ErrorCode } from "../../shared/errors.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { StyleHints } from "../../src/rig/portrait-style.ts";
import type { AspectRatio } from "./agent.ts";

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

export interface BakeTask {
  task: "bake";
  /** Picture file. */
  bytes: Uint8Array;
  family: ModelFamily;
  aspectRatio: AspectRatio;
  /** Known face points of a drawn portrait: [478 × 3] px, flat. Null has them found. */
  points: Float32Array | null;
  /** Hints of a drawn portrait. */
  style: StyleHints | null;
}

export interface BakeResult {
  imx: Uint8Array;
}

export type PortraitTask = InspectTask | BakeTask;

export type PortraitRequest = { id: number } & PortraitTask;
export type PortraitReply =
  | { id: number; type: "progress"; share: number }
  | { id: number; type: "done"; result: InspectResult | BakeResult }
  | { id: number; type: "refused"; code: ErrorCode; message: string }
  | { id: number; type: "failed"; message: string };
