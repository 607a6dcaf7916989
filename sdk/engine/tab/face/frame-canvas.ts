// Shows the engine's frames on a canvas. Two dimensions are enough: converting 512 x 512 takes about a millisecond.
import { type I420Frame, writeRgba } from "../../../../src/browser.ts";

export class FrameCanvas {
  readonly #context: CanvasRenderingContext2D;
  #image: ImageData | undefined;

  /** Throws Error if the browser gives no drawing context. */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("the canvas cannot be drawn on");
    this.#context = context;
  }

  show(frame: I420Frame): void {
    if (this.#image?.width !== frame.widthPx || this.#image.height !== frame.heightPx) {
      this.#image = new ImageData(frame.widthPx, frame.heightPx);
    }
    writeRgba(frame, this.#image.data);
    this.#context.putImageData(this.#image, 0, 0);
  }
}
