// What the element shows: the picture, which becomes the face; below it the label, the button for audio, what is said.
import { faceStyles } from "./face-styles.ts";

/** What the face does. `empty`: it has nothing to show. `failed`: it stands still. */
export type FaceState = "empty" | "loading" | "idle" | "listening" | "thinking" | "speaking" | "failed";

export class FaceView {
  readonly #root = make("div", "root");
  readonly #picture = make("div", "picture");
  readonly #poster = make("img", "poster");
  readonly #label = make("p", "label", "AI-generated face");
  readonly #sound = make("button", "sound", "Tap to hear");
  readonly #caption = make("p", "caption");
  readonly #notice = make("p", "notice");
  #moving: HTMLCanvasElement | HTMLVideoElement | undefined;
  #name = "";

  /** `hear`: the visitor asks for audio. */
  constructor(shadow: ShadowRoot, hear: () => void) {
    shadow.adoptedStyleSheets = [faceStyles()];
    const mat = make("div", "mat");
    const line = make("div", "line");
    this.#poster.alt = "";
    this.#sound.type = "button";
    this.#sound.addEventListener("click", hear);
    // Screen readers hear the voice.
    this.#caption.setAttribute("aria-hidden", "true");
    this.#notice.setAttribute("role", "status");
    for (const part of [this.#picture, this.#label, this.#sound, this.#caption, this.#notice])
      part.setAttribute("part", part.className);
    this.#picture.append(this.#poster);
    mat.append(this.#picture);
    line.append(this.#label, this.#sound);
    this.#root.append(mat, line, this.#caption, this.#notice);
    shadow.append(this.#root);
    this.showPoster(null);
    this.showCaption(undefined);
    this.showNotice("");
    this.offerSound(false);
    this.setState("empty");
    this.cover();
  }

  /** What observers of visibility watch. */
  get picture(): HTMLElement {
    return this.#picture;
  }

  showPoster(url: string | null): void {
    this.#poster.hidden = url === null;
    if (url === null) this.#poster.removeAttribute("src");
    else this.#poster.src = url;
  }

  setName(name: string): void {
    this.#name = name;
    this.#moving?.setAttribute("aria-label", this.#words);
  }

  /** Puts a canvas or a video in the place of the one before. It is covered until `reveal`. */
  setMoving(moving: HTMLCanvasElement | HTMLVideoElement | undefined): void {
    this.cover();
    this.#moving?.remove();
    this.#moving = moving;
    if (!moving) return;
    moving.className = "moving";
    moving.setAttribute("role", "img");
    moving.setAttribute("aria-label", this.#words);
    this.#picture.append(moving);
  }

  setRatio(ratio: number): void {
    if (ratio > 0) this.#picture.style.setProperty("aspect-ratio", String(ratio));
  }

  /** The poster dissolves into the face. */
  reveal(): void {
    this.#root.dataset.face = "alive";
    this.#label.hidden = false;
  }

  cover(): void {
    this.#root.dataset.face = "poster";
    this.#label.hidden = true;
  }

  setState(state: FaceState): void {
    this.#root.dataset.state = state;
  }

  offerSound(isOffered: boolean): void {
    this.#sound.hidden = !isOffered;
  }

  showCaption(text: string | undefined): void {
    this.#caption.hidden = text === undefined;
    this.#caption.textContent = text ?? "";
  }

  showNotice(text: string): void {
    this.#notice.hidden = text === "";
    this.#notice.textContent = text;
  }

  get #words(): string {
    return this.#name === "" ? "Talking face" : `Talking face of ${this.#name}`;
  }
}

function make<Tag extends "div" | "p" | "img" | "button">(
  tag: Tag,
  className: string,
  text = "",
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== "") element.textContent = text;
  return element;
}
