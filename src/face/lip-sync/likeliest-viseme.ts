// Selects a single viseme for a video frame.

import { VISEMES, type Viseme } from "../../speech/visemes/visemes.ts";
import { groupOf, type MouthGroup } from "./mouth-groups.ts";
import type { LipSyncFrame } from "./viseme-decoder.ts";

/** Mean closure above which a video frame is PP. Tuned on the tuning speaker (models/lip-sync/README.md). */
const SHUT_ABOVE = 0.5;

/** PP if the lips are shut; otherwise the most likely viseme of the most likely group. Groups are compared because
 *  viewers see groups: eight narrow visemes that share the likelihood must not lose to a single open one. */
export function likeliestViseme({ visemes, closureMean }: Pick<LipSyncFrame, "visemes" | "closureMean">): Viseme {
  if (closureMean > SHUT_ABOVE) return "PP";
  const ofGroup: Partial<Record<MouthGroup, number>> = {};
  for (const [index, viseme] of VISEMES.entries()) {
    const group = groupOf(viseme);
    if (group !== "bilabial") ofGroup[group] = (ofGroup[group] ?? 0) + visemes[index];
  }
  const scores = VISEMES.map((viseme, index) => ({
    viseme,
    group: ofGroup[groupOf(viseme)] ?? -1,
    own: visemes[index],
  }));
  return scores.reduce((best, next) =>
    next.group > best.group || (next.group === best.group && next.own > best.own) ? next : best,
  ).viseme;
}
