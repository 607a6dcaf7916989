// From a photograph to an avatar file, in this tab.
import type { FoundFaces } from "../../sdk/engine/tab/bake/bake-messages.ts";
import { TabBaker } from "../../sdk/engine/tab/bake/tab-baker.ts";

const THUMBNAIL_PX = 128;

/** What stands in the way: words for the visitor, and the faces to choose from, if there are several. */
export interface PhotographQuestion {
  message: string;
  /** A button for each face; the visitor presses one. */
  faces?: HTMLElement;
}

export interface PhotographOptions {
  /** Bytes of the `.imx`. */
  onBaked(bundle: Uint8Array): void;
  /** The picture cannot be used as it is. */
  onQuestion(question: PhotographQuestion): void;
  /** Share of the bake that is done, 0 to 1. */
  onProgress(share: number): void;
  /** It failed; see TabBakeError and EngineError. */
  onError(error: unknown): void;
}

/** One photograph at a time; a later one ends the one before. */
export class Photograph {
  readonly #options: PhotographOptions;
  readonly #baker = new TabBaker();
  #current = new AbortController();

  constructor(options: PhotographOptions) {
    this.#options = options;
  }

  /** A picture is about to come: fetches what finds and bakes a face. */
  prepare(): void {
    this.#baker.prepare();
  }

  /** Begins with a file. */
  async take(file: Blob): Promise<void> {
    this.#current.abort();
    this.#current = new AbortController();
    await this.#find(file, undefined, this.#current.signal);
  }

  /** Ends what runs. */
  cancel(): void {
    this.#current.abort();
  }

  async #find(file: Blob, chosen: FoundFaces["edit"] | undefined, signal: AbortSignal): Promise<void> {
    const { onBaked, onQuestion, onProgress, onError } = this.#options;
    try {
      const found = await this.#baker.findFaces(file, { ...chosen, signal });
      if (found.flaw) {
        const faces = found.flaw.kind === "several" ? await this.#facesOf(file, found, signal) : undefined;
        if (!signal.aborted) onQuestion({ message: found.flaw.message, faces });
        return;
      }
      const { imx } = await this.#baker.bake({ face: 0 }, { signal, onProgress });
      onBaked(imx);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  async #facesOf(file: Blob, { edit, faces }: FoundFaces, signal: AbortSignal): Promise<HTMLElement> {
    const picture = await createImageBitmap(await this.#baker.picture({ signal }));
    const group = document.createElement("div");
    group.className = "faces";
    for (const [index, { surroundings }] of faces.entries()) {
      const { x, y, widthPx, heightPx } = surroundings;
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = THUMBNAIL_PX;
      canvas.getContext("2d")?.drawImage(picture, x, y, widthPx, heightPx, 0, 0, THUMBNAIL_PX, THUMBNAIL_PX);
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", `Face ${index + 1} of ${faces.length}`);
      button.append(canvas);
      button.addEventListener("click", () => void this.#find(file, { ...edit, crop: surroundings }, signal));
      group.append(button);
    }
    picture.close();
    return group;
  }
}
