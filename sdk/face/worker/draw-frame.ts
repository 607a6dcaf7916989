// Frames on a worker's canvas.
import { writeRgba } from "../../../src/face/rendering/i420-to-rgba.ts";
import type { I420Frame } from "../../../src/signal/image/i420-frame.ts";

/** From when a frame is drawn until the screen shows it, ms. */
export const SCREEN_MS = 33;
/** A frame that is later than this is left out, ms. */
export const TOO_LATE_MS = 60;

/** Returns what draws frames of the size of the canvas. Throws Error if it cannot be drawn on. */
export function frameDrawer(canvas: OffscreenCanvas): (frame: I420Frame) => void {
  const context = canvas.getContext("2d", { alpha: false });
  if (!context) throw new Error("the canvas cannot be drawn on");
  const image = new ImageData(canvas.width, canvas.height);
  return (frame) => {
    writeRgba(frame, image.data);
    context.putImageData(image, 0, 0);
  };
}

/** Resolves at `atMs` of `performance.now()`, or at once if that is over. */
export async function until(atMs: number): Promise<void> {
  const waitMs = atMs - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
