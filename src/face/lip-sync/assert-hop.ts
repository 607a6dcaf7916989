// The length of what the lip-sync network takes.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";

/** Throws RangeError unless the array holds one hop. */
export function assertHop(hop: Float32Array): void {
  if (hop.length !== LIP_SYNC_HOP_SAMPLES) {
    throw new RangeError(`a hop has ${LIP_SYNC_HOP_SAMPLES} samples, not ${hop.length}`);
  }
}
