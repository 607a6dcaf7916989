// What a visitor can do with the avatar: four cards.

import { copyText } from "../shared/copy-text.ts";
import { findElement } from "../shared/find-element.ts";

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
  readonly #options: NextOptions;
  readonly #section = findElement("next", HTMLElement);
  readonly #download = findElement("download", HTMLAnchorElement);
  readonly #filmForm = findElement("film", HTMLFormElement);
  readonly #filmText = findElement("film-text", HTMLInputElement);
  readonly #filmMake = findElement("film-make", HTMLButtonElement);
  readonly #filmPrice = findElement("film-price", HTMLElement);
  readonly #filmSaid = findElement("film-said", HTMLElement);
  readonly #filmShown = findElement("film-shown", HTMLVideoElement);
  readonly #filmCaptions = findElement("film-captions", HTMLTrackElement);
  readonly #filmSave = findElement("film-save", HTMLAnchorElement);

  constructor(options: NextOptions) {
    this.#options = options;
    for (const name of ["frame", "agent"] as const) {
      const code = name === "frame" ? options.frameCode : async () => options.agentCode();
      findElement(`${name}-copy`, HTMLButtonElement).addEventListener("click", () => void this.#copy(name, code));
    }
    this.#filmForm.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#film();
    });
  }

  /** Puts the cards away, until the avatar has spoken. `modelUrl`: link to the `.imx`; null if there is none. */
  reset(modelUrl: string | null): void {
    this.#section.hidden = true;
    for (const id of ["frame-said", "agent-said", "film-said"]) findElement(id, HTMLElement).textContent = "";
    for (const id of ["frame-code", "agent-code"]) findElement(id, HTMLTextAreaElement).hidden = true;
    this.#filmShown.hidden = this.#filmSave.hidden = true;
    this.#filmShown.removeAttribute("src");
    findElement("download-card", HTMLElement).hidden = modelUrl === null;
    if (modelUrl !== null) this.#download.href = modelUrl;
  }

  /** The avatar has spoken. */
  reveal(): void {
    this.#section.hidden = false;
  }

  /** Credits for each started minute of film; undefined if unknown. */
  showPrice(creditsPerMinute: number | undefined): void {
    this.#filmPrice.textContent =
      creditsPerMinute === undefined ? "" : `It costs ${creditsPerMinute} credits for each started minute.`;
  }

  async #copy(name: "frame" | "agent", makeCode: () => Promise<string>): Promise<void> {
    const said = findElement(`${name}-said`, HTMLElement);
    const shown = findElement(`${name}-code`, HTMLTextAreaElement);
    try {
      const code = await makeCode();
      shown.value = code;
      shown.hidden = false;
      const isCopied = await copyText(code);
      if (!isCopied) shown.select();
      said.textContent = isCopied ? "Copied." : "Copy this code.";
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  async #film(): Promise<void> {
    const text = this.#filmText.value.trim();
    if (text === "") return this.#filmText.focus();
    this.#filmMake.disabled = true;
    this.#filmSaid.textContent = "Filming …";
    try {
      const { url, captionsUrl, credits, seconds } = await this.#options.film(text);
      this.#filmSaid.textContent = `${seconds.toFixed(1)} s, ${credits} credits.`;
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
