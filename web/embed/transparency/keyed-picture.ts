// A picture that moves, or a still, without its ground. Loaded only for pages that are to be transparent.
import { type Rgb, readColour, sampleGround } from "./key-colour.ts";
import { KeyPainter, type KeySettings, type KeySource, type Size } from "./key-painter.ts";

/** Frames of a canvas say nothing when they change, 25 times a second: every second picture of most displays, ms. */
const LEAST_INTERVAL_MS = 30;
/** Frames in which the ground's colour is looked for: the first ones of a canvas may be empty. */
const MAX_TRIES = 50;
/** Width and height of the picture in which the ground's colour is looked for, px. */
const SAMPLE_PX = 32;

export interface KeyedPictureOptions extends KeySettings {
  /** #rrggbb; anything else: found in the picture. */
  keyColour: string;
  /** Whether the canvas shows the picture now. False: it has no ground of one colour, or cannot be drawn. */
  onShown(isShown: boolean): void;
}

export class KeyedPicture {
  readonly #options: KeyedPictureOptions;
  readonly #painter: KeyPainter;
  /** Stops the present source. */
  #stop: (() => void) | undefined;

  /** Throws Error if the browser cannot draw it. */
  constructor(options: KeyedPictureOptions) {
    this.#options = options;
    this.#painter = new KeyPainter(options);
  }

  /** Shows the picture. */
  get canvas(): HTMLCanvasElement {
    return this.#painter.canvas;
  }

  /** Draws another picture from now on; undefined: none. */
  show(source: KeySource | undefined): void {
    this.#stop?.();
    this.#stop = undefined;
    if (source) this.#stop = this.#follow(source);
    else this.#options.onShown(false);
  }

  /** Idempotent. */
  close(): void {
    this.show(undefined);
    this.#painter.close();
  }

  /** No more pixels are drawn than are seen: a small widget shows a large picture. 1 while nothing is seen. */
  #scaleFor([widthPx, heightPx]: Size): number {
    const { clientWidth, clientHeight } = this.canvas;
    const shown = devicePixelRatio * Math.max(clientWidth / widthPx, clientHeight / heightPx);
    return shown > 0 ? Math.min(1, shown) : 1;
  }

  /** Returns what stops it. */
  #follow(source: KeySource): () => void {
    let isStopped = false;
    let colour: Rgb | undefined;
    let drawnAtMs = Number.NEGATIVE_INFINITY;
    let triesLeft = source instanceof HTMLImageElement ? 1 : MAX_TRIES;
    /** Returns whether to go on. */
    const drawNow = (): boolean => {
      const size = sizeOf(source);
      if (size[0] === 0) return true;
      triesLeft -= 1;
      try {
        colour ??= readColour(this.#options.keyColour) ?? groundOf(source);
        if (colour) this.#painter.paint(source, size, this.#scaleFor(size), colour);
      } catch {
        // Of another origin, or the graphics have stopped: the picture is shown as it is.
        colour = undefined;
        triesLeft = 0;
      }
      this.#options.onShown(colour !== undefined);
      return colour !== undefined || triesLeft > 0;
    };
    const draw = (nowMs: number): void => {
      if (isStopped) return;
      const isDue = !(source instanceof HTMLCanvasElement) || nowMs - drawnAtMs >= LEAST_INTERVAL_MS;
      if (isDue) {
        drawnAtMs = nowMs;
        if (!drawNow()) return;
      }
      onNextFrame(source, draw);
    };
    draw(performance.now());
    return () => {
      isStopped = true;
    };
  }
}

function onNextFrame(source: KeySource, draw: (nowMs: number) => void): void {
  if (source instanceof HTMLImageElement) return;
  // Older browsers tell nothing of a video's frames.
  if (source instanceof HTMLVideoElement && "requestVideoFrameCallback" in source) {
    source.requestVideoFrameCallback(draw);
  } else {
    requestAnimationFrame(draw);
  }
}

/** Px; 0 while there is no picture. */
function sizeOf(source: KeySource): Size {
  if (source instanceof HTMLCanvasElement) return [source.width, source.height];
  if (source instanceof HTMLImageElement) return [source.naturalWidth, source.naturalHeight];
  return source.readyState < HTMLMediaElement.HAVE_CURRENT_DATA ? [0, 0] : [source.videoWidth, source.videoHeight];
}

function groundOf(source: KeySource): Rgb | undefined {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: SAMPLE_PX, height: SAMPLE_PX });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context?.drawImage(source, 0, 0, SAMPLE_PX, SAMPLE_PX);
  const pixels = context?.getImageData(0, 0, SAMPLE_PX, SAMPLE_PX);
  return pixels && sampleGround(pixels.data, SAMPLE_PX, SAMPLE_PX);
}
