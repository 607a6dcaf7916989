// The elements of the page, and input by mouse, key or drop.
import { findElement } from "../shared/find-element.ts";
import type { Metrics } from "../shared/tab-face/face-player.ts";

export type LocalState = "empty" | "loading" | "live";

/** What the visitor can do. */
export interface LocalActions {
  openBundle(file: File): void;
  playAudio(file: File): void;
  setMicrophone(isOn: boolean): void;
  stop(): void;
}

const LABELS: Readonly<Record<LocalState, string>> = { empty: "No file", loading: "Opening", live: "Live" };
const BUNDLE_NAME = /\.imx$/i;

export class LocalView {
  readonly canvas = findElement("canvas", HTMLCanvasElement);
  readonly #page = findElement("page", HTMLElement);
  readonly #frame = findElement("frame", HTMLElement);
  readonly #state = findElement("state", HTMLElement);
  readonly #disclosure = findElement("disclosure", HTMLElement);
  readonly #open = findElement("open", HTMLButtonElement);
  readonly #audio = findElement("audio", HTMLButtonElement);
  readonly #microphone = findElement("microphone", HTMLButtonElement);
  readonly #stop = findElement("stop", HTMLButtonElement);
  readonly #metrics = findElement("metrics", HTMLElement);
  readonly #hint = findElement("hint", HTMLElement);

  constructor(actions: LocalActions) {
    this.#chooseWith(this.#open, findElement("bundle-file", HTMLInputElement), actions.openBundle);
    this.#chooseWith(this.#audio, findElement("audio-file", HTMLInputElement), actions.playAudio);
    this.#microphone.addEventListener("click", () => {
      actions.setMicrophone(this.#microphone.getAttribute("aria-pressed") !== "true");
    });
    this.#stop.addEventListener("click", () => actions.stop());
    this.#takeKeys();
    this.#takeDrops(actions);
  }

  showState(state: LocalState): void {
    this.#page.dataset.state = state;
    this.#state.textContent = LABELS[state];
    this.#disclosure.hidden = state !== "live";
    this.#open.disabled = state === "loading";
    for (const button of [this.#audio, this.#microphone, this.#stop]) button.disabled = state !== "live";
  }

  /** Gives the canvas the aspect ratio of the frames. */
  showFace(widthPx: number, heightPx: number): void {
    this.canvas.width = widthPx;
    this.canvas.height = heightPx;
    this.#frame.style.setProperty("--ratio", String(widthPx / heightPx));
  }

  showMetrics({ fps, renderMs, lipSyncMs, lateSteps }: Metrics): void {
    const late = lateSteps > 0 ? ` · ${lateSteps} late` : "";
    this.#metrics.textContent = `${fps.toFixed(0)} fps · rendering ${renderMs.toFixed(1)} ms · lip sync ${lipSyncMs.toFixed(1)} ms${late}`;
  }

  showHint(text: string): void {
    this.#hint.textContent = text;
  }

  setMicrophonePressed(isOn: boolean): void {
    this.#microphone.setAttribute("aria-pressed", String(isOn));
  }

  #chooseWith(button: HTMLButtonElement, input: HTMLInputElement, act: (file: File) => void): void {
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      // So that choosing the same file again fires a change event.
      input.value = "";
      if (file) act(file);
    });
  }

  #takeKeys(): void {
    const buttons: Record<string, HTMLButtonElement> = {
      o: this.#open,
      s: this.#audio,
      m: this.#microphone,
      Escape: this.#stop,
    };
    document.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey, repeat }) => {
      if (!ctrlKey && !metaKey && !altKey && !repeat) buttons[key]?.click();
    });
  }

  #takeDrops(actions: LocalActions): void {
    // Anywhere on the page: a file dropped beside the frame would otherwise replace the page.
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.#frame.dataset.dragged = "";
    });
    document.addEventListener("dragleave", () => delete this.#frame.dataset.dragged);
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      delete this.#frame.dataset.dragged;
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      if (BUNDLE_NAME.test(file.name)) actions.openBundle(file);
      else if (!this.#audio.disabled) actions.playAudio(file);
      else this.showHint("Open an .imx file first.");
    });
  }
}
