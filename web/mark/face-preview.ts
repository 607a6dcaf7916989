// The living preview: the face as it is baked from the marks, in a worker.
import type { FaceMarks } from "../../src/face/portrait/face-marks.ts";

/** To the worker. */
export type PreviewOrder =
  | { type: "open"; portrait: ImageBitmap; canvas: OffscreenCanvas }
  | { type: "face"; marks: FaceMarks }
  | { type: "play"; isPlaying: boolean };

/** From the worker. */
export type PreviewAnswer = "shown" | "failed";

/** `waiting`: marks are missing or lie wrong. */
export type PreviewState = "waiting" | "making" | "shown" | "failed";

export interface FacePreviewOptions {
  canvas: HTMLCanvasElement;
  /** Link to the portrait, of the page's own origin. */
  imageUrl: string;
  onState: (state: PreviewState) => void;
}

/** Marks that follow each other faster are not all baked, ms. */
const SETTLE_MS = 250;

export class FacePreview {
  readonly #onState: (state: PreviewState) => void;
  readonly #worker: Worker;
  readonly #opened: Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown: string | undefined;

  constructor({ canvas, imageUrl, onState }: FacePreviewOptions) {
    this.#onState = onState;
    this.#worker = new Worker(new URL("./preview-worker.ts", import.meta.url), { type: "module" });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<PreviewAnswer>) => onState(data));
    this.#worker.addEventListener("error", () => onState("failed"));
    this.#opened = this.#open(canvas, imageUrl);
    this.#opened.catch(() => onState("failed"));
  }

  /** Shows the face of these marks, soon; null: they can't be a face. */
  show(marks: FaceMarks | null): void {
    const wanted = JSON.stringify(marks);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    clearTimeout(this.#timer);
    this.#onState(marks ? "making" : "waiting");
    if (!marks) return;
    this.#timer = setTimeout(() => {
      this.#opened.then(() => this.#send({ type: "face", marks })).catch(() => this.#onState("failed"));
    }, SETTLE_MS);
  }

  play(isPlaying: boolean): void {
    this.#send({ type: "play", isPlaying });
  }

  async #open(canvas: HTMLCanvasElement, imageUrl: string): Promise<void> {
    const image = new Image();
    image.src = imageUrl;
    await image.decode();
    const portrait = await createImageBitmap(image);
    const offscreen = canvas.transferControlToOffscreen();
    this.#send({ type: "open", portrait, canvas: offscreen }, [portrait, offscreen]);
  }

  #send(order: PreviewOrder, transfer: Transferable[] = []): void {
    this.#worker.postMessage(order, transfer);
  }
}
