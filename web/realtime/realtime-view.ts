// The page's elements besides the events.
import { findElement } from "../shared/find-element.ts";
import type { SaidLine } from "./said-lines.ts";

/** What the visitor can do. */
export interface RealtimeActions {
  useSecret(secret: string): void;
  talk(choice: { model: string; instructions: string }): void;
  hangUp(): void;
  setMuted(isMuted: boolean): void;
  type(text: string): void;
}

export type CallState = "idle" | "connecting" | "open";

export class RealtimeView {
  readonly answer = findElement("audio", HTMLAudioElement);
  readonly #access = findElement("access", HTMLFormElement);
  readonly #secret = findElement("secret", HTMLInputElement);
  readonly #accessWrong = findElement("access-wrong", HTMLElement);
  readonly #call = findElement("call", HTMLFormElement);
  readonly #model = findElement("model", HTMLInputElement);
  readonly #instructions = findElement("instructions", HTMLInputElement);
  readonly #talk = findElement("talk", HTMLButtonElement);
  readonly #hangUp = findElement("hang-up", HTMLButtonElement);
  readonly #mute = findElement("mute", HTMLButtonElement);
  readonly #status = findElement("status", HTMLElement);
  readonly #wrong = findElement("wrong", HTMLElement);
  readonly #said = findElement("said", HTMLElement);
  readonly #lines = findElement("lines", HTMLOListElement);
  readonly #type = findElement("type", HTMLFormElement);
  readonly #text = findElement("text", HTMLInputElement);
  readonly #send = findElement("send", HTMLButtonElement);

  constructor(actions: RealtimeActions) {
    this.#access.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.useSecret(this.#secret.value);
    });
    this.#call.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.talk({ model: this.#model.value.trim(), instructions: this.#instructions.value.trim() });
    });
    this.#hangUp.addEventListener("click", () => actions.hangUp());
    this.#mute.addEventListener("click", () => {
      const isMuted = this.#mute.getAttribute("aria-pressed") !== "true";
      this.#mute.setAttribute("aria-pressed", String(isMuted));
      actions.setMuted(isMuted);
    });
    this.#type.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#text.value.trim();
      if (text === "" || this.#send.disabled) return;
      this.#text.value = "";
      actions.type(text);
    });
  }

  /** Asks for a secret, or shows the form of a call. */
  showAccess(isNeeded: boolean): void {
    this.#access.hidden = !isNeeded;
    this.#call.hidden = isNeeded;
  }

  showAccessProblem(text: string): void {
    this.#accessWrong.textContent = text;
  }

  showState(state: CallState, status: string): void {
    const isIdle = state === "idle";
    this.#talk.hidden = !isIdle;
    this.#hangUp.hidden = isIdle;
    this.#mute.hidden = state !== "open";
    this.#mute.setAttribute("aria-pressed", "false");
    this.#send.disabled = state !== "open";
    this.#model.disabled = !isIdle;
    this.#instructions.disabled = !isIdle;
    this.#status.textContent = status;
    if (!isIdle) this.#said.hidden = false;
  }

  showStatus(status: string): void {
    this.#status.textContent = status;
  }

  showProblem(text: string): void {
    this.#wrong.textContent = text;
  }

  showLines(lines: readonly SaidLine[]): void {
    const shown = lines.filter(({ text }) => text !== "");
    this.#lines.replaceChildren(
      ...shown.map(({ speaker, text }) => {
        const line = document.createElement("li");
        line.className = "line";
        line.dataset.speaker = speaker;
        line.textContent = text;
        return line;
      }),
    );
    this.#lines.scrollTop = this.#lines.scrollHeight;
  }
}
