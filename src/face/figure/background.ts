// Background of the person: kept, blurred, or replaced by a colour or another image. It is done once, before the rig is
// made, so that a frame costs nothing. Transparency is green, because video has no alpha.
import { EngineError } from "../../../shared/engine-error.ts";
import { cover } from "../../signal/image/cover.ts";
import { gaussianBlur } from "../../signal/image/gaussian-blur.ts";
import { inpaint } from "../../signal/image/inpaint.ts";
import { createPlane, type Plane, type RgbImage, toPlane, toRgbImage } from "../../signal/image/raster.ts";
import { resize } from "../../signal/image/resize.ts";
import { foregroundColours } from "./foreground-colours.ts";
import { createPersonMatte, showsPerson } from "./person-matte.ts";

/** Red, green and blue, 0..255 each. */
export type Colour = readonly [red: number, green: number, blue: number];

export type Background =
  | { kind: "keep" }
  | { kind: "blur" }
  | { kind: "colour"; colour: Colour }
  /** Scaled to cover the canvas, its middle kept. */
  | { kind: "image"; image: RgbImage };

/** Video has no transparency; compositing programs key this green. */
export const TRANSPARENT: Background = Object.freeze({ kind: "colour", colour: [0, 255, 0] as const });

/** Blur of a background out of focus, as a share of the image's longer side. */
const BLUR_SHARE = 0.018;
const BLUR_SCALE = 4;
/** Pixels with at least this share of person get their background from the surroundings. */
const HIDDEN_ABOVE = 0.02;

/** The image with another background. `person`: probability of person at each pixel, 0..1, one channel of the
 *  image's size. Throws EngineError(invalid-input) if no person can be told from the background. */
export function replaceBackground(image: RgbImage, person: Plane, background: Background): RgbImage {
  if (background.kind === "keep") return image;
  if (!showsPerson(person)) {
    throw new EngineError(
      "invalid-input",
      "The background cannot be separated from the person in the image. Keep the background, or use another image.",
    );
  }
  const matte = createPersonMatte(image, person);
  const behind = paintBackground(image, matte, background);
  const front = foregroundColours(toPlane(image), matte);
  for (let i = 0; i < matte.data.length; i++) {
    const alpha = matte.data[i];
    for (let at = 3 * i; at < 3 * i + 3; at++) behind.data[at] += alpha * (front.data[at] - behind.data[at]);
  }
  return toRgbImage(behind);
}

/** The background, of the image's size, values 0..255; the caller may change it. */
function paintBackground(image: RgbImage, matte: Plane, background: Exclude<Background, { kind: "keep" }>): Plane {
  const { widthPx, heightPx } = image;
  switch (background.kind) {
    case "blur":
      return blurBehind(image, matte);
    case "colour": {
      const even = createPlane(widthPx, heightPx, 3);
      for (let at = 0; at < even.data.length; at += 3) even.data.set(background.colour, at);
      return even;
    }
    case "image":
      return cover(background.image, { widthPx, heightPx });
  }
}

/** The blurred background, filled in behind the person. Computed at a quarter of the size, which is invisible after
 *  blurring. */
function blurBehind(image: RgbImage, matte: Plane): Plane {
  const size = { widthPx: image.widthPx / BLUR_SCALE, heightPx: image.heightPx / BLUR_SCALE };
  const small = { widthPx: Math.ceil(size.widthPx), heightPx: Math.ceil(size.heightPx) };
  const hidden = resize(matte, small, "area");
  for (let i = 0; i < hidden.data.length; i++) hidden.data[i] = hidden.data[i] > HIDDEN_ABOVE ? 1 : 0;
  const filled = inpaint(resize(image, small, "area"), hidden);
  return resize(gaussianBlur(filled, BLUR_SHARE * Math.max(small.widthPx, small.heightPx)), image, "bilinear");
}
