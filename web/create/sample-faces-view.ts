// Faces to try the page with, for visitors without a picture at hand.

import type { SampleFace } from "../shared/sample-faces.ts";
import type { CreateContext } from "./create-context.ts";

/** Widest size in which a face is shown; the styles make it smaller where there is less room. */
const SHOWN_PX = 48;

export class SampleFacesView {
  readonly #container: HTMLElement;
  readonly #onChoice: (id: string) => void;

  constructor({ find }: CreateContext, onChoice: (id: string) => void) {
    this.#container = find("samples", HTMLElement);
    this.#onChoice = onChoice;
  }

  show(faces: readonly SampleFace[]): void {
    this.#container.ariaBusy = "false";
    this.#container.replaceChildren(
      ...faces.map(({ id, name, thumbnail }) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.id = id;
        button.setAttribute("aria-label", name);
        button.title = name;
        const picture = document.createElement("img");
        picture.alt = "";
        picture.width = picture.height = SHOWN_PX;
        picture.src = thumbnail;
        button.append(picture);
        button.addEventListener("click", () => this.#onChoice(id));
        return button;
      }),
    );
  }

  /** Marks the face that is on the stage; undefined for none. */
  showChosen(id: string | undefined): void {
    for (const button of this.#container.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.id === id));
  }
}
