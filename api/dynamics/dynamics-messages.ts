// Tasks and results of the process that makes an agent's gestures.
import type { DynamicsOptions } from "../../src/face/gestures/imx-gestures.ts";

export interface DynamicsTask extends DynamicsOptions {
  /** Bytes of each `.imx`, and the file to write it to with its gestures. The first one is filmed. */
  models: { imx: Uint8Array; path: string }[];
  /** Folder for the clips. */
  folder: string;
  /** Gestures that are filmed already. */
  filmed: string[];
  /** Setting of the operator; absent if it is not set. */
  ffmpegPath?: string;
}

export interface DynamicsResult {
  /** File of each new clip. */
  clips: { action: string; path: string }[];
}
