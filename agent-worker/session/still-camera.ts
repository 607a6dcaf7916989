// Stills of a session's face, for those who look at it without taking its video. However many ask, it costs one frame a
// second at most.
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "../../shared/errors.ts";
import { STILL_MAX_BYTES } from "../../shared/runtime-api.ts";
import { writeRgba } from "../../src/face/rendering/i420-to-rgba.ts";
import { encodeSmallJpeg } from "../../src/signal/image/encode-image.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";

/** Longer side of a still, px. */
export const STILL_SIDE_PX = 320;
/** A still is given again for so long, ms. */
const FRESH_MS = 1_000;
/** Frames are due every 40 ms; a machine that drops them for longer has none to spare, ms. */
const FRAME_LIMIT_MS = 2_000;

export interface StillCameraOptions {
  /** The next frame of the face. */
  frame(): Promise<I420Frame>;
  /** Default: a monotonic clock, ms. */
  nowMs?(): number;
}

export class StillCamera {
  readonly #options: StillCameraOptions;
  #last: { takenMs: number; jpeg: Promise<Uint8Array> } | undefined;

  constructor(options: StillCameraOptions) {
    this.#options = options;
  }

  /** A JPEG of at most `STILL_MAX_BYTES`, at most a second old. Throws SERVICE_UNAVAILABLE if no frame comes. */
  take(): Promise<Uint8Array> {
    const { nowMs = () => performance.now() } = this.#options;
    if (this.#last && nowMs() - this.#last.takenMs < FRESH_MS) return this.#last.jpeg;
    const last = { takenMs: nowMs(), jpeg: this.#take() };
    this.#last = last;
    last.jpeg.catch(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return last.jpeg;
  }

  async #take(): Promise<Uint8Array> {
    const ended = new AbortController();
    const none = delay(FRAME_LIMIT_MS, undefined, { ref: false, signal: ended.signal }).then(() => {
      throw new ServiceError("SERVICE_UNAVAILABLE", "The avatar renders no frame now");
    });
    try {
      const frame = await Promise.race([this.#options.frame(), none]);
      const { widthPx, heightPx } = frame;
      const rgba = new Uint8ClampedArray(4 * widthPx * heightPx);
      writeRgba(frame, rgba);
      return await encodeSmallJpeg({ widthPx, heightPx, rgba }, { sidePx: STILL_SIDE_PX, maxBytes: STILL_MAX_BYTES });
    } finally {
      ended.abort();
    }
  }
}
