// Alpha matte of the person: the segmenter's mask, refined along the edges of the image.
import { createPlane, type Plane, type RgbImage } from "../../signal/image/raster.ts";
import { guidedFilter } from "./guided-filter.ts";

/** The mask comes from 256 px: its edges are off by about a pixel of those. */
const MASK_PX = 256;
/** Even hair against an even wall differs by more than this (standard deviation 0.02). */
const EPSILON = 4e-4;
/** Below and above these the network means "not at all" and "wholly"; between them lies the edge. */
const LOW = 0.12;
const HIGH = 0.88;
/** Pixels of which less is a person do not count. */
const LEAST_PERSON_SHARE = 0.02;

/** Alpha 0..1 of the person, one channel of the image's size, from the probability `person` (0..1, same size). Throws
 *  RangeError if sizes differ. */
export function createPersonMatte(image: RgbImage, person: Plane): Plane {
  const { widthPx, heightPx } = image;
  const guide = createPlane(widthPx, heightPx);
  for (let i = 0; i < guide.data.length; i++) {
    // Luma alone would not tell red hair from a grey wall of the same brightness; green less red and blue does.
    const [red, green, blue] = [image.data[3 * i], image.data[3 * i + 1], image.data[3 * i + 2]];
    guide.data[i] = (0.45 * red + 0.45 * green + 0.1 * blue) / 255;
  }
  const radiusPx = Math.max(2, Math.round((1.5 * Math.max(widthPx, heightPx)) / MASK_PX));
  const followed = guidedFilter(person, guide, { radiusPx, epsilon: EPSILON });
  for (let i = 0; i < followed.data.length; i++) {
    followed.data[i] = Math.min(1, Math.max(0, (followed.data[i] - LOW) / (HIGH - LOW)));
  }
  return followed;
}

/** True if a mask or matte contains a person. */
export function showsPerson(matte: Plane): boolean {
  return matte.data.reduce((sum, alpha) => sum + alpha, 0) > LEAST_PERSON_SHARE * matte.data.length;
}
