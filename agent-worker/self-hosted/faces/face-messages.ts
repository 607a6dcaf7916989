// Tasks and results of the face process.
import type { StyleHints } from "../../../src/face/rig/measure/portrait-style.ts";

/** Bakes an `.imx` of an image. */
export interface BakeTask {
  task: "bake";
  /** Image file. */
  bytes: Uint8Array;
  /** Face points where they are known: float32 [478 × 3] in px, flat. Default: found in the image. */
  points?: Float32Array;
  style?: StyleHints;
}

/** Renders the face at rest. */
export interface FrameTask {
  task: "frame";
  imx: Uint8Array;
}

/** Runs the engine as fast as it goes. */
export interface BenchmarkTask {
  task: "benchmark";
  imx: Uint8Array;
  iterations: number;
  framesPerIteration: number;
  provider: "cpu" | "cuda";
}

export interface FaceTasks {
  bake: { task: BakeTask; result: { imx: Uint8Array } };
  frame: { task: FrameTask; result: { jpeg: Uint8Array } };
  /** Mean time of an iteration. */
  benchmark: { task: BenchmarkTask; result: { meanMs: number } };
}
export type FaceTask = FaceTasks[keyof FaceTasks]["task"];
export type FaceResult = FaceTasks[keyof FaceTasks]["result"];
