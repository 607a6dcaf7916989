// Runs our executor of the lip-sync network beside ONNX Runtime.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import type { LipSyncOutput } from "../../../src/face/lip-sync/lip-sync-network.ts";
import { loadLipSyncNetwork } from "../../../src/face/lip-sync/load-lip-sync-network.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";

export interface LipSyncDifference {
  hops: number;
  /** Largest difference of a posterior or of a closure. */
  worst: number;
  /** Last posteriors of the executor, float32 [30]. */
  last: Float32Array;
}

/** Runs both on the same hops, each with its own state carried along. */
export async function compareExecutors(
  runtime: InferenceRuntime,
  model: Uint8Array,
  hops: Iterable<Float32Array>,
): Promise<LipSyncDifference> {
  const own = await loadLipSyncNetwork(runtime, model);
  const reference = await loadLipSyncNetwork(runtime, model, { executor: "runtime" });
  const difference: LipSyncDifference = { hops: 0, worst: 0, last: new Float32Array(0) };
  try {
    for (const hop of hops) {
      const got = await own.run(hop);
      const distance = largestDifference(got, await reference.run(hop));
      if (!(distance <= difference.worst)) difference.worst = distance;
      difference.last = got.visemes;
      difference.hops += 1;
    }
  } finally {
    await own.close();
    await reference.close();
  }
  return difference;
}

/** Largest difference of a posterior or of a closure; NaN if either has one. */
export function largestDifference(got: LipSyncOutput, expected: LipSyncOutput): number {
  let largest = 0;
  for (const field of ["visemes", "closures"] as const) {
    for (const [k, value] of expected[field].entries()) {
      const distance = Math.abs(got[field][k] - value);
      // Written so that NaN is larger than any number.
      if (!(distance <= largest)) largest = distance;
    }
  }
  return largest;
}

/** Whole hops of audio, float32 [640] each. */
export function hopsOf(audio: Float32Array): Float32Array[] {
  return Array.from({ length: Math.floor(audio.length / LIP_SYNC_HOP_SAMPLES) }, (_, k) =>
    audio.slice(k * LIP_SYNC_HOP_SAMPLES, (k + 1) * LIP_SYNC_HOP_SAMPLES),
  );
}

/** A source of white noise in [−1, 1), the same for the same seed. */
export function noise(seed: number): (samples: number) => Float32Array {
  let state = seed;
  return (samples) =>
    Float32Array.from({ length: samples }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 31 - 1;
    });
}
