// What changed between two contact sheets of the same face.
import type { RgbImage } from "../../signal/image/raster.ts";
import type { SheetLayout } from "./contact-sheet.ts";

/** A pixel counts as changed if a channel differs by more: less is rounding, or another build of the runtime. */
const VISIBLE_LEVELS = 10;
/** A pose counts as changed if more than this share of its pixels did. */
const VISIBLE_SHARE = 0.002;

export interface PoseChange {
  pose: string;
  /** Share of its pixels that changed visibly, 0..1. */
  changedShare: number;
  /** Largest difference of a channel, 0..255. */
  largest: number;
}

/** The poses that look different, most changed first; empty if none does. Throws RangeError if the sheets differ in
 *  size. */
export function compareSheets(before: RgbImage, after: RgbImage, layout: SheetLayout): PoseChange[] {
  if (before.widthPx !== after.widthPx || before.heightPx !== after.heightPx) {
    throw new RangeError(
      `the sheets differ in size: ${before.widthPx} × ${before.heightPx} and ${after.widthPx} × ${after.heightPx}`,
    );
  }
  const changes = layout.cells.map(({ pose, box }): PoseChange => {
    let changed = 0;
    let largest = 0;
    for (let y = box.y; y < box.y + box.heightPx; y++) {
      for (let x = box.x; x < box.x + box.widthPx; x++) {
        const at = 3 * (y * before.widthPx + x);
        let difference = 0;
        for (let i = at; i < at + 3; i++) difference = Math.max(difference, Math.abs(before.data[i] - after.data[i]));
        largest = Math.max(largest, difference);
        if (difference > VISIBLE_LEVELS) changed++;
      }
    }
    return { pose, changedShare: changed / (box.widthPx * box.heightPx), largest };
  });
  return changes
    .filter(({ changedShare }) => changedShare > VISIBLE_SHARE)
    .sort((a, b) => b.changedShare - a.changedShare);
}
