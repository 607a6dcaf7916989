// Shows the image around the point that is moved, larger and clear of the finger.
import type { FaceMark } from "../../src/face/portrait/face-marks.ts";

const SIDE_PX = 116;
/** How much larger than the stage it shows the image. */
const FACTOR = 2.5;
/** How long it stays after a key moved something. */
const STAYS_MS = 1200;
/** From the finger to its nearest edge. */
const GAP_PX = 28;

export class Loupe {
  readonly #element: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `element` holds the image as SVG, and lies at the left upper corner of the stage. */
  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** `point`: of the image. `finger`, in px of the stage: what it must not lie under. `scale`: px of the stage for each
   *  px of the image. `widthPx`: of the stage. */
  show(point: FaceMark, { finger, scale, widthPx }: { finger: FaceMark; scale: number; widthPx: number }): void {
    clearTimeout(this.#timer);
    const sidePx = SIDE_PX / (FACTOR * scale);
    const above = finger.y - GAP_PX - SIDE_PX;
    const left = Math.min(widthPx - SIDE_PX, Math.max(0, finger.x - SIDE_PX / 2));
    const beside = finger.x > widthPx / 2 ? finger.x - GAP_PX - SIDE_PX : finger.x + GAP_PX;
    const [x, y] = above >= 0 ? [left, above] : [Math.max(0, Math.min(widthPx - SIDE_PX, beside)), 0];
    this.#element.style.transform = `translate(${x}px, ${y}px)`;
    this.#element.firstElementChild?.setAttribute(
      "viewBox",
      [point.x - sidePx / 2, point.y - sidePx / 2, sidePx, sidePx].join(" "),
    );
    this.#element.toggleAttribute("data-shown", true);
  }

  /** After a key, when no finger will be lifted. */
  hideSoon(): void {
    this.#timer = setTimeout(() => this.hide(), STAYS_MS);
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#element.toggleAttribute("data-shown", false);
  }
}
