// Whether this machine keeps up with the frames of a face.
import { FRAME_RATE_FPS } from "../../../shared/units.ts";

/** Windows are judged, of as many frames as 5 s have. */
const JUDGED_FRAMES = 5 * FRAME_RATE_FPS;
/** Share of the frames that must be drawn in time. */
const LEAST_SHARE = 0.9;
/** Slow windows in a row before it says so: a machine may be busy for a moment. */
const SLOW_WINDOWS = 2;

export class Pace {
  readonly #onSlow: (fps: number) => void;
  #due = 0;
  #drawn = 0;
  #slowWindows = 0;

  /** `onSlow` is told the frame rate, each time that it has been too low for 10 s. */
  constructor(onSlow: (fps: number) => void) {
    this.#onSlow = onSlow;
  }

  /** A frame was due. */
  count(isDrawn: boolean): void {
    this.#due += 1;
    if (isDrawn) this.#drawn += 1;
    if (this.#due < JUDGED_FRAMES) return;
    const share = this.#drawn / this.#due;
    this.#slowWindows = share < LEAST_SHARE ? this.#slowWindows + 1 : 0;
    if (this.#slowWindows >= SLOW_WINDOWS) {
      this.#slowWindows = 0;
      this.#onSlow(FRAME_RATE_FPS * share);
    }
    this.#due = this.#drawn = 0;
  }

  /** What was counted says nothing: the face was out of sight. */
  forget(): void {
    this.#due = this.#drawn = this.#slowWindows = 0;
  }
}
