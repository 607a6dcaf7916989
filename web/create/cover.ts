// The face of the tab over the place where the streamed one is about to appear, until it does.
import type { CreateContext } from "./create-context.ts";

export interface Place {
  leftPx: number;
  topPx: number;
  widthPx: number;
  heightPx: number;
}

/** Shows a copy of a canvas that moves. Takes no presses: what lies below can be used. */
export class Cover {
  readonly #root: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  #source: HTMLCanvasElement | undefined;

  constructor({ find }: CreateContext) {
    this.#root = find("cover", HTMLElement);
    this.#canvas = find("cover-canvas", HTMLCanvasElement);
  }

  /** Copies what `source` shows from now on; nothing is seen before `place` is called. */
  begin(source: HTMLCanvasElement): void {
    this.#source = source;
    this.#canvas.width = source.width;
    this.#canvas.height = source.height;
    delete this.#root.dataset.gone;
    this.#copy();
  }

  /** Where the streamed face will be. */
  place({ leftPx, topPx, widthPx, heightPx }: Place): void {
    if (!this.#source) return;
    Object.assign(this.#root.style, {
      left: `${leftPx}px`,
      top: `${topPx}px`,
      width: `${widthPx}px`,
      height: `${heightPx}px`,
    });
    this.#root.hidden = false;
  }

  /** Dissolves into what lies below; `onGone` once nothing of it is seen. */
  dissolve(onGone: () => void): void {
    const end = () => {
      this.end();
      onGone();
    };
    if (!this.#source || this.#root.hidden) {
      end();
      return;
    }
    this.#root.dataset.gone = "";
    // Without motion there is no transition to wait for.
    if (Number.parseFloat(getComputedStyle(this.#root).transitionDuration) > 0)
      this.#root.addEventListener("transitionend", end, { once: true });
    else end();
  }

  /** Goes at once. Idempotent. */
  end(): void {
    this.#source = undefined;
    this.#root.hidden = true;
  }

  #copy = (): void => {
    if (!this.#source) return;
    this.#canvas.getContext("2d")?.drawImage(this.#source, 0, 0);
    requestAnimationFrame(this.#copy);
  };
}
