// Whether a sender got the reports that it waits for: one for each segment, in order.
import type { FinishedReport } from "../clients/client-messages.ts";

export interface ReportCheck {
  isRight: boolean;
  /** What is wrong, in a few words; empty if nothing is. */
  problem: string;
}

/** Checks the reports of segments that were sent at once, of which the first was playing when something was cut off:
 *  one for each, the first interrupted within its length, the others interrupted before they began. A service that lost
 *  nothing may also have played them all. `lengthsS`: lengths of the segments, s. */
export function checkReports(reports: readonly FinishedReport[], lengthsS: readonly number[]): ReportCheck {
  const wrong = (problem: string): ReportCheck => ({ isRight: false, problem });
  if (reports.length !== lengthsS.length) return wrong(`${reports.length} of ${lengthsS.length} reports`);
  for (const [index, { positionS, interrupted }] of reports.entries()) {
    const lengthS = lengthsS[index];
    const isLonger = positionS > lengthS + 0.05;
    if (positionS < 0 || isLonger) return wrong(`report ${index + 1} says ${positionS} s of ${lengthS} s`);
    if (!interrupted && positionS < lengthS - 0.05) return wrong(`report ${index + 1} ends early without interruption`);
    const wasCut = reports.slice(0, index).some((earlier) => earlier.interrupted);
    if (wasCut && !interrupted) return wrong(`report ${index + 1} is not interrupted, an earlier one is`);
    if (wasCut && positionS > 0) return wrong(`report ${index + 1} says ${positionS} s of a segment that never began`);
  }
  return { isRight: true, problem: "" };
}
