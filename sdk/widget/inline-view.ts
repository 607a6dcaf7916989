// The face as an element of the page, which gives it its size.
import { FaceBox, type FormView, type ViewOptions } from "./form-view.ts";
import { facePicture, icon, LABEL, make } from "./make-element.ts";

export class InlineView implements FormView {
  readonly box = new FaceBox();
  readonly parts: readonly HTMLElement[];
  readonly #cover: HTMLElement;
  readonly #launch: HTMLButtonElement;
  readonly #stand: HTMLElement;
  readonly #label = make("p", { class: "label over", hidden: true }, LABEL);

  constructor({ settings, picture: address, actions }: ViewOptions) {
    const text = settings.text("buttonText");
    this.#launch = make("button", { class: "launch", type: "button" }, icon("play"), text || "Chat");
    this.#launch.addEventListener("click", () => actions.open());
    const label = make("p", { class: "label" }, LABEL);
    const picture = facePicture(address, icon("chat"));
    this.#cover = make("div", { class: "cover" }, picture, this.#launch, label);
    this.#stand = make("section", { class: "stand" }, this.box.element, this.#label, this.box.notice);
    this.box.element.append(this.#cover);
    this.parts = [this.#stand];
    this.showName("");
  }

  showOpen(isOpen: boolean, byVisitor: boolean): void {
    if (isOpen) this.#cover.remove();
    else this.box.element.append(this.#cover);
    if (!byVisitor) return;
    if (!isOpen) this.#launch.focus();
    // The button has gone; the frame comes into its place.
    else queueMicrotask(() => this.box.element.querySelector<HTMLElement>("iframe:not([hidden])")?.focus());
  }

  /** The page in the frame has the button. */
  showMuted(): void {}

  showName(name: string): void {
    this.#stand.setAttribute("aria-label", name || "Avatar");
  }

  showLabel(isShown: boolean): void {
    this.#label.hidden = !isShown;
  }

  close(): void {}
}
