// The length of what the hearing network takes.
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";

/** Throws RangeError unless the array holds one hop. */
export function assertHop(hop: Float32Array): void {
  if (hop.length !== HEARING_HOP_SAMPLES) {
    throw new RangeError(`a hop has ${HEARING_HOP_SAMPLES} samples, not ${hop.length}`);
  }
}
