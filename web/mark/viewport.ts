// Which part of the image the stage shows, and where a point of one lies on the other.
import type { FaceMark } from "../../src/face/portrait/face-marks.ts";

export interface Size {
  widthPx: number;
  heightPx: number;
}

/** In px of the image. */
export interface ImageBox {
  x: number;
  y: number;
  widthPx: number;
  heightPx: number;
}

/** Px of the screen for each px of the image, and the image's point at the left upper corner of the stage. */
export interface Viewport {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** A px of the image is never shown larger than this. */
const MAX_SCALE = 24;

/** The viewport in which a box of the image fills the stage, with `margin` px of the screen around it. */
export function fitBox(box: ImageBox, stage: Size, margin: number): Viewport {
  const room = (length: number) => Math.max(1, length - 2 * margin);
  const fits = Math.min(room(stage.widthPx) / box.widthPx, room(stage.heightPx) / box.heightPx);
  const scale = Math.min(MAX_SCALE, fits);
  return {
    scale,
    x: box.x + box.widthPx / 2 - stage.widthPx / (2 * scale),
    y: box.y + box.heightPx / 2 - stage.heightPx / (2 * scale),
  };
}

/** The whole image. Pixel centres are whole numbers, so it begins half a px before them. */
export function fitImage(image: Size, stage: Size): Viewport {
  return fitBox({ x: -0.5, y: -0.5, ...image }, stage, 0);
}

/** The box around some points. */
export function boxAround(points: readonly FaceMark[]): ImageBox {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, widthPx: Math.max(1, Math.max(...xs) - x), heightPx: Math.max(1, Math.max(...ys) - y) };
}

/** Larger or smaller around a point of the screen, which stays where it is. */
export function zoomAt(view: Viewport, at: FaceMark, factor: number, image: Size, stage: Size): Viewport {
  const least = fitImage(image, stage).scale;
  const scale = Math.min(MAX_SCALE, Math.max(least, view.scale * factor));
  const fixed = toImage(view, at);
  return keepInside({ scale, x: fixed.x - at.x / scale, y: fixed.y - at.y / scale }, image, stage);
}

/** Moves what is shown by px of the screen. */
export function panBy(view: Viewport, byX: number, byY: number, image: Size, stage: Size): Viewport {
  return keepInside({ ...view, x: view.x - byX / view.scale, y: view.y - byY / view.scale }, image, stage);
}

export function toImage(view: Viewport, { x, y }: FaceMark): FaceMark {
  return { x: view.x + x / view.scale, y: view.y + y / view.scale };
}

export function toScreen(view: Viewport, { x, y }: FaceMark): FaceMark {
  return { x: (x - view.x) * view.scale, y: (y - view.y) * view.scale };
}

/** The middle of the stage always shows some of the image. */
function keepInside(view: Viewport, image: Size, stage: Size): Viewport {
  const within = (start: number, shown: number, length: number) =>
    Math.min(length - 0.5 - shown / 2, Math.max(-0.5 - shown / 2, start));
  return {
    ...view,
    x: within(view.x, stage.widthPx / view.scale, image.widthPx),
    y: within(view.y, stage.heightPx / view.scale, image.heightPx),
  };
}
