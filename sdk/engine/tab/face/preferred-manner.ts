import type { Manner } from "../../../../shared/manners.ts";

/** `still` for visitors who prefer less motion; undefined for others. */
export function preferredManner(): Manner | undefined {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "still" : undefined;
}
