// What the person sees beside the face: name, button, progress, notice, words.
import { findElement } from "../shared/find-element.ts";
import type { Language } from "../shared/languages.ts";
import type { SpeakingTexts } from "./texts/en.ts";

/** `loading`: nothing can be pressed. `ready`: it can speak. `blocked`: the browser lets nothing play before a tap.
 *  `failed`: it can be tried again. */
export type ViewState = "loading" | "ready" | "speaking" | "finished" | "blocked" | "failed";

export class SpeakingView {
  /** Where the face or the film is. */
  readonly face = findElement("face", HTMLElement);
  readonly #room = findElement("room", HTMLElement);
  readonly #poster = findElement("poster", HTMLImageElement);
  readonly #name = findElement("name", HTMLElement);
  readonly #label = findElement("label", HTMLElement);
  readonly #play = findElement("play", HTMLButtonElement);
  readonly #progress = findElement("progress", HTMLProgressElement);
  readonly #notice = findElement("notice", HTMLElement);
  readonly #words = findElement("words", HTMLElement);

  #isNamed = false;

  /** `onPress`: the button. */
  constructor(onPress: () => void) {
    this.#play.addEventListener("click", onPress);
  }

  /** What the page says by itself. What it has said stays. */
  showTexts({ page, generated, loading, words }: SpeakingTexts, language: Language): void {
    document.documentElement.lang = language;
    if (!this.#isNamed) this.#showName(page);
    this.#label.textContent = generated;
    this.#progress.setAttribute("aria-label", loading);
    this.#words.setAttribute("aria-label", words);
    if (this.state === "loading") this.#play.textContent = loading;
  }

  setName(name: string): void {
    this.#isNamed = true;
    this.#showName(name);
  }

  #showName(name: string): void {
    this.#name.textContent = name;
    document.title = name;
  }

  showPoster(address: string | undefined, alt: string): void {
    this.#poster.hidden = address === undefined;
    if (address !== undefined) this.#poster.src = address;
    this.#poster.alt = alt;
  }

  /** The face says by itself that it was generated; films and pictures do not. */
  setLabel(isShown: boolean): void {
    this.#label.hidden = !isShown;
  }

  showWords(text: string): void {
    this.#words.hidden = text === "";
    this.#words.textContent = text;
  }

  showNotice(text: string): void {
    this.#notice.textContent = text;
  }

  /** 0 to 1; undefined while nothing is known. */
  setProgress(share: number | undefined): void {
    if (share === undefined) this.#progress.removeAttribute("value");
    else this.#progress.value = share;
  }

  get state(): ViewState {
    return this.#room.dataset.state as ViewState;
  }

  /** `label`: of the button, which is away if that is empty. */
  setState(state: ViewState, label: string): void {
    this.#room.dataset.state = state;
    const isLoading = state === "loading";
    this.#room.setAttribute("aria-busy", String(isLoading));
    this.#progress.hidden = !isLoading;
    // A button that is disabled would lose the focus of the keyboard.
    this.#play.setAttribute("aria-disabled", String(isLoading));
    this.#play.hidden = label === "";
    this.#play.textContent = label;
  }

  /** How the answer is shown, for those who look into the page. */
  setWay(way: string): void {
    this.#room.dataset.way = way;
  }
}
