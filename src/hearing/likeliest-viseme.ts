// One mouth class for a video frame, where a single name is wanted.
import { groupOf, type MouthGroup } from "./mouth-groups.ts";
import type { HeardPicture } from "./viseme-decoder.ts";
import { VISEMES, type Viseme } from "./visemes.ts";

/** Closure on the whole above which a video frame is PP. Chosen on the speaker that hearing is tuned on
 *  (models/hearing/README.md). */
const SHUT_ABOVE = 0.5;

/** PP if the lips are shut; otherwise the likeliest class of the likeliest group. A group is what a viewer sees: eight
 *  narrow classes that share the likelihood among them must not lose to a single open one. */
export function likeliestViseme({ visemes, closureMean }: Pick<HeardPicture, "visemes" | "closureMean">): Viseme {
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
