// Moves handles apart that would lie on each other, so that each can be pressed: closed lips have two points at one
// place.
import type { FaceMark } from "../../src/face/portrait/face-marks.ts";

/** Two handles are usually apart after a few rounds; this many bound the work. */
const MAX_ROUNDS = 60;

/** Places for handles of `sizePx` × `sizePx` px as near to their points as they can be without overlapping. Handles of
 *  points that lie on each other part vertically, in the order given. */
export function spreadHandles(points: readonly FaceMark[], sizePx: number): FaceMark[] {
  const places = points.map((point) => ({ ...point }));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let hasMoved = false;
    for (let first = 0; first < places.length; first++) {
      for (let second = first + 1; second < places.length; second++) {
        hasMoved = part(places[first], places[second], sizePx) || hasMoved;
      }
    }
    if (!hasMoved) break;
  }
  return places;
}

/** Moves two places apart along the axis in which they overlap least. Returns whether it had to. */
function part(first: FaceMark, second: FaceMark, sizePx: number): boolean {
  const [acrossPx, downPx] = [second.x - first.x, second.y - first.y];
  const [overlapX, overlapY] = [sizePx - Math.abs(acrossPx), sizePx - Math.abs(downPx)];
  // Less than that is rounding.
  if (overlapX < 0.01 || overlapY < 0.01) return false;
  const alongX = overlapX < overlapY;
  const step = (alongX ? overlapX : overlapY) / 2 + 0.01;
  const sign = Math.sign(alongX ? acrossPx : downPx) || 1;
  if (alongX) {
    first.x -= sign * step;
    second.x += sign * step;
  } else {
    first.y -= sign * step;
    second.y += sign * step;
  }
  return true;
}
