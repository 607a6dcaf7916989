// The visitor's picture with what was found in it: a box around each face to choose from, and a crop to move.
import type { PixelBox } from "../../src/signal/image/raster.ts";
import type { CreateContext } from "./create-context.ts";
import { middleCrop, movedCrop, type Size, scaledCrop } from "./crop.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

/** One press of a button or wheel step of the crop. */
const CLOSER = 0.85;
/** One press of an arrow key, in widths of the crop. */
const STEP = 0.05;

export interface FramerActions {
  /** The visitor chose one of the boxes, by its index. */
  choose(index: number): void;
  /** The crop is shown or put away. */
  cropped(isCropped: boolean): void;
}

/** Shows one picture at a time. All boxes are in its pixels. */
export class Framer {
  readonly #texts: CreateTexts["framing"];
  readonly #actions: FramerActions;
  readonly #picture: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #boxes: HTMLElement;
  readonly #cropBox: HTMLButtonElement;
  readonly #cropButton: HTMLButtonElement;
  readonly #closer: HTMLButtonElement;
  readonly #wider: HTMLButtonElement;
  #crop: PixelBox | undefined;

  constructor(context: CreateContext, actions: FramerActions) {
    const { find } = context;
    this.#texts = context.texts.framing;
    this.#picture = find("framer-picture", HTMLElement);
    this.#canvas = find("framer-canvas", HTMLCanvasElement);
    this.#boxes = find("framer-boxes", HTMLElement);
    this.#cropBox = find("framer-crop", HTMLButtonElement);
    this.#cropButton = find("crop", HTMLButtonElement);
    this.#closer = find("crop-closer", HTMLButtonElement);
    this.#wider = find("crop-wider", HTMLButtonElement);
    this.#actions = actions;
    this.#cropButton.addEventListener("click", () =>
      this.#showCrop(this.#crop ? undefined : middleCrop(this.#size), { isNew: true }),
    );
    this.#closer.addEventListener("click", () => this.#scale(CLOSER));
    this.#wider.addEventListener("click", () => this.#scale(1 / CLOSER));
    this.#cropBox.addEventListener("keydown", (event) => this.#onKey(event));
    this.#cropBox.addEventListener("pointerdown", (event) => this.#cropBox.setPointerCapture(event.pointerId));
    this.#cropBox.addEventListener("pointermove", (event) => this.#onDrag(event));
    this.#cropBox.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.#scale(event.deltaY > 0 ? 1 / CLOSER : CLOSER);
      },
      { passive: false },
    );
  }

  /** The crop that the visitor made; undefined for the whole picture. */
  get crop(): PixelBox | undefined {
    return this.#crop;
  }

  /** Shows a picture with a box around each face. `chosen`: the index of the face that will be used. */
  show(
    picture: CanvasImageSource & { width: number; height: number },
    faces: readonly PixelBox[],
    chosen?: number,
  ): void {
    this.#canvas.width = picture.width;
    this.#canvas.height = picture.height;
    this.#picture.style.setProperty("--ratio", String(picture.width / picture.height));
    this.#canvas.getContext("2d")?.drawImage(picture, 0, 0);
    this.#boxes.replaceChildren(
      ...faces.map((face, index) => {
        const box = document.createElement("button");
        box.type = "button";
        box.setAttribute(
          "aria-label",
          faces.length === 1 ? this.#texts.face : this.#texts.faceOf(index + 1, faces.length),
        );
        box.setAttribute("aria-pressed", String(index === chosen));
        this.#place(box, face);
        box.addEventListener("click", () => this.#actions.choose(index));
        return box;
      }),
    );
    this.#showCrop(undefined);
  }

  get #size(): Size {
    return { widthPx: this.#canvas.width, heightPx: this.#canvas.height };
  }

  #showCrop(crop: PixelBox | undefined, { isNew = false } = {}): void {
    this.#crop = crop;
    for (const element of [this.#cropBox, this.#closer, this.#wider]) element.hidden = crop === undefined;
    this.#boxes.hidden = crop !== undefined;
    this.#cropButton.setAttribute("aria-pressed", String(crop !== undefined));
    if (crop) this.#place(this.#cropBox, crop);
    if (isNew) {
      this.#actions.cropped(crop !== undefined);
      if (crop) this.#cropBox.focus();
    }
  }

  #scale(factor: number): void {
    if (this.#crop) this.#showCrop(scaledCrop(this.#crop, factor, this.#size));
  }

  #move(rightPx: number, downPx: number): void {
    if (this.#crop) this.#showCrop(movedCrop(this.#crop, rightPx, downPx, this.#size));
  }

  #onDrag({ buttons, movementX, movementY }: PointerEvent): void {
    const picturePx = this.#canvas.width / this.#canvas.clientWidth;
    if (buttons !== 0) this.#move(movementX * picturePx, movementY * picturePx);
  }

  #onKey(event: KeyboardEvent): void {
    const step = STEP * (this.#crop?.widthPx ?? 0);
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.#move(-step, 0),
      ArrowRight: () => this.#move(step, 0),
      ArrowUp: () => this.#move(0, -step),
      ArrowDown: () => this.#move(0, step),
      "+": () => this.#scale(CLOSER),
      "-": () => this.#scale(1 / CLOSER),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  #place(element: HTMLElement, { x, y, widthPx, heightPx }: PixelBox): void {
    const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
    Object.assign(element.style, {
      left: percent(x, this.#size.widthPx),
      top: percent(y, this.#size.heightPx),
      width: percent(widthPx, this.#size.widthPx),
      height: percent(heightPx, this.#size.heightPx),
    });
  }
}
