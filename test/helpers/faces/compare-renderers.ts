// Renders the same poses with the executor and with the graph in ONNX Runtime, and compares every sample.

import { createSeededRandom } from "../../../lab/soak/seeded-random.ts";
import { FACE_PARAMETERS } from "../../../shared/face-parameters.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";

export interface SeededPose {
  parameters: Float32Array;
  breath: number;
}

export interface Comparison {
  /** Largest difference of a sample, levels of 255. */
  largest: number;
  /** Samples that are equal, 0..1. */
  equalShare: number;
}

/** Parameters that move both ways; the others are 0..1. */
const SIGNED: ReadonlySet<string> = new Set(
  "smile gazeX gazeY yaw pitch roll tx ty brow browInner browOuter lopsided".split(" "),
);

/** Poses in turn weak, strong, and with few parameters at their ends. */
export function seededPoses(count: number, seed: number): SeededPose[] {
  const { next: random } = createSeededRandom(seed);
  return Array.from({ length: count }, (_, turn) => {
    const strength = turn % 3 === 0 ? 0.4 : 1;
    const isSparse = turn % 3 === 2;
    const parameters = Float32Array.from(FACE_PARAMETERS, (name) => {
      const value = (SIGNED.has(name) ? 2 * random() - 1 : random()) * strength;
      return isSparse ? (random() < 0.2 ? Math.sign(value) : 0) : value;
    });
    return { parameters, breath: 2 * random() - 1 };
  });
}

/** Throws if the executor does not take the avatar. */
export async function compareRenderers(
  imx: Imx,
  runtime: InferenceRuntime,
  poses: readonly SeededPose[],
): Promise<Comparison> {
  const withoutGraphs = { ...runtime, createSession: () => Promise.reject(new Error("a graph was loaded")) };
  const executor = await openAvatar(imx, withoutGraphs);
  const graph = await openAvatar(imx, runtime, { executor: "runtime" });
  let largest = 0;
  let equal = 0;
  let count = 0;
  for (const { parameters, breath } of poses) {
    const { data } = await executor.render(parameters, breath);
    const reference = (await graph.render(parameters, breath)).data;
    for (let at = 0; at < data.length; at++) {
      const difference = Math.abs(data[at] - reference[at]);
      if (difference === 0) equal++;
      else if (difference > largest) largest = difference;
    }
    count += data.length;
  }
  await executor.close();
  await graph.close();
  return { largest, equalShare: equal / count };
}
