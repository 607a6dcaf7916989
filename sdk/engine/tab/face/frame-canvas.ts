// Shows the engine's frames on a canvas. Two dimensions are enough: converting 512 x 512 takes about a millisecond.
import { writeRgba } from "../../../../src/face/rendering/i420-to-rgba.ts";
import type { RgbaFrame } from "../../avatar.ts";
import type { Picture } from "./face-steps.ts";

export class FrameCanvas {
  readonly #context: CanvasRenderingContext2D;
  #image: ImageData | undefined;

  /** Throws Error if the browser gives no drawing context. */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("the canvas cannot be drawn on");
    this.#context = context;
  }

  show(picture: Picture): void {
    const { widthPx, heightPx } = picture;
    if (isRgba(picture)) {
      this.#context.putImageData(new ImageData(picture.data, widthPx, heightPx), 0, 0);
      return;
    }
    if (this.#image?.width !== widthPx || this.#image.height !== heightPx) {
      this.#image = new ImageData(widthPx, heightPx);
    }
    writeRgba(picture, this.#image.data);
    this.#context.putImageData(this.#image, 0, 0);
  }
}

function isRgba(picture: Picture): picture is RgbaFrame {
  return picture.data instanceof Uint8ClampedArray;
}
