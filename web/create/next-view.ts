// What a visitor can do with the avatar: four cards.

import { copyText } from "../shared/copy-text.ts";
import type { CreateContext } from "./create-context.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

export interface Film {
  /** Link to the MP4 file. */
  url: string;
  /** Link to its subtitles, if it has some. */
  captionsUrl?: string;
  credits: number;
  seconds: number;
}

export interface NextOptions {
  /** Code of a frame for a site. Rejects with the reason if there is none. */
  frameCode(): Promise<string>;
  /** Code of an avatar session for an agent. */
  agentCode(): string;
  /** Films a text. Rejects with the reason if that fails. */
  film(text: string): Promise<Film>;
}

export class NextView {
  readonly #context: CreateContext;
  readonly #texts: CreateTexts["next"];
  readonly #options: NextOptions;
  readonly #section: HTMLElement;
  readonly #download: HTMLAnchorElement;
  readonly #filmForm: HTMLFormElement;
  readonly #filmText: HTMLInputElement;
  readonly #filmMake: HTMLButtonElement;
  readonly #filmPrice: HTMLElement;
  readonly #filmSaid: HTMLElement;
  readonly #filmShown: HTMLVideoElement;
  readonly #filmCaptions: HTMLTrackElement;
  readonly #filmSave: HTMLAnchorElement;

  constructor(context: CreateContext, options: NextOptions) {
    const { find } = context;
    this.#context = context;
    this.#texts = context.texts.next;
    this.#section = find("next", HTMLElement);
    this.#download = find("download", HTMLAnchorElement);
    this.#filmForm = find("film", HTMLFormElement);
    this.#filmText = find("film-text", HTMLInputElement);
    this.#filmMake = find("film-make", HTMLButtonElement);
    this.#filmPrice = find("film-price", HTMLElement);
    this.#filmSaid = find("film-said", HTMLElement);
    this.#filmShown = find("film-shown", HTMLVideoElement);
    this.#filmCaptions = find("film-captions", HTMLTrackElement);
    this.#filmSave = find("film-save", HTMLAnchorElement);
    this.#options = options;
    for (const name of ["frame", "agent"] as const) {
      const code = name === "frame" ? options.frameCode : async () => options.agentCode();
      find(`${name}-copy`, HTMLButtonElement).addEventListener("click", () => void this.#copy(name, code));
    }
    this.#filmForm.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#film();
    });
  }

  /** Puts the cards away, until the avatar has spoken. `modelUrl`: link to the `.imx`; null if there is none. */
  reset(modelUrl: string | null): void {
    const { find } = this.#context;
    this.#section.hidden = true;
    for (const id of ["frame-said", "agent-said", "film-said"]) find(id, HTMLElement).textContent = "";
    for (const id of ["frame-code", "agent-code"]) find(id, HTMLTextAreaElement).hidden = true;
    this.#filmShown.hidden = this.#filmSave.hidden = true;
    this.#filmShown.removeAttribute("src");
    find("download-card", HTMLElement).hidden = modelUrl === null;
    if (modelUrl !== null) this.#download.href = modelUrl;
  }

  /** The avatar has spoken. */
  reveal(): void {
    this.#section.hidden = false;
  }

  /** Credits for each started minute of film; undefined if unknown. */
  showPrice(creditsPerMinute: number | undefined): void {
    this.#filmPrice.textContent =
      creditsPerMinute === undefined ? "" : this.#texts.filmPrice(this.#credits(creditsPerMinute));
  }

  #credits(count: number): string {
    return this.#context.texts.price.credits(count);
  }

  async #copy(name: "frame" | "agent", makeCode: () => Promise<string>): Promise<void> {
    const { find } = this.#context;
    const said = find(`${name}-said`, HTMLElement);
    const shown = find(`${name}-code`, HTMLTextAreaElement);
    try {
      const code = await makeCode();
      shown.value = code;
      shown.hidden = false;
      const isCopied = await copyText(code);
      if (!isCopied) shown.select();
      said.textContent = isCopied ? this.#texts.copied : this.#texts.copyThis;
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  async #film(): Promise<void> {
    const text = this.#filmText.value.trim();
    if (text === "") return this.#filmText.focus();
    this.#filmMake.disabled = true;
    this.#filmSaid.textContent = this.#texts.filming;
    try {
      const { url, captionsUrl, credits, seconds } = await this.#options.film(text);
      this.#filmSaid.textContent = this.#texts.filmed(this.#context.number(seconds, 1), this.#credits(credits));
      if (captionsUrl !== undefined) this.#filmCaptions.src = captionsUrl;
      else this.#filmCaptions.removeAttribute("src");
      this.#filmShown.src = url;
      this.#filmSave.href = url;
      this.#filmShown.hidden = this.#filmSave.hidden = false;
    } catch (error) {
      this.#filmSaid.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#filmMake.disabled = false;
    }
  }
}
