// The page's elements besides the stage, the turns and the events.
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import type { SampleFace } from "../shared/sample-faces.ts";
import type { SaidLine } from "./said-lines.ts";

/** What the visitor can do. */
export interface RealtimeActions {
  useSecret(secret: string): void;
  talk(): void;
  hangUp(): void;
  setMuted(isMuted: boolean): void;
  type(text: string): void;
  chooseFace(id: string): void;
  /** Model or instructions were changed. */
  changed(): void;
}

export type CallState = "idle" | "connecting" | "open";

/** The list's last choice: a name to type. */
const OTHER = "";

export class RealtimeView {
  readonly voice = findElement("audio", HTMLAudioElement);
  readonly transcript = findElement("transcript", HTMLElement);
  readonly composer = findElement("composer", HTMLElement);
  readonly #access = findElement("access", HTMLFormElement);
  readonly #secret = findElement("secret", HTMLInputElement);
  readonly #accessWrong = findElement("access-wrong", HTMLElement);
  readonly #settings = findElement("settings", HTMLFieldSetElement);
  readonly #model = findElement("model", HTMLSelectElement);
  readonly #otherField = findElement("other-field", HTMLElement);
  readonly #otherModel = findElement("other-model", HTMLInputElement);
  readonly #face = findElement("face", HTMLSelectElement);
  readonly #instructions = findElement("instructions", HTMLInputElement);
  readonly #call = findElement("call", HTMLFormElement);
  readonly #talk = findElement("talk", HTMLButtonElement);
  readonly #hangUp = findElement("hang-up", HTMLButtonElement);
  readonly #mute = findElement("mute", HTMLButtonElement);
  readonly #level = findElement("level", HTMLMeterElement);
  readonly #status = findElement("status", HTMLElement);
  readonly #wrong = findElement("wrong", HTMLElement);
  readonly #lines = findElement("lines", HTMLOListElement);
  readonly #type = findElement("type", HTMLFormElement);
  readonly #text = findElement("text", HTMLInputElement);

  constructor(actions: RealtimeActions) {
    this.#access.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.useSecret(this.#secret.value);
    });
    this.#call.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.talk();
    });
    this.#hangUp.addEventListener("click", () => actions.hangUp());
    this.#mute.addEventListener("click", () => {
      const isMuted = this.#mute.ariaPressed !== "true";
      this.#mute.ariaPressed = String(isMuted);
      actions.setMuted(isMuted);
    });
    this.#type.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#text.value.trim();
      if (text === "") return;
      this.#text.value = "";
      actions.type(text);
    });
    this.#face.addEventListener("change", () => actions.chooseFace(this.#face.value));
    this.#model.addEventListener("change", () => {
      this.#otherField.hidden = this.#model.value !== OTHER;
      if (!this.#otherField.hidden) this.#otherModel.focus();
    });
    this.#settings.addEventListener("input", () => actions.changed());
  }

  get model(): string {
    return this.#model.value || this.#otherModel.value.trim() || "service-realtime";
  }

  get instructions(): string {
    return this.#instructions.value.trim();
  }

  /** Asks for a secret, or lets the visitor talk. */
  showAccess(isNeeded: boolean): void {
    this.#access.hidden = !isNeeded;
    this.#talk.disabled = isNeeded;
    this.#status.textContent = isNeeded ? "An API secret is needed first." : "";
  }

  showAccessProblem(text: string): void {
    this.#accessWrong.textContent = text;
  }

  showModels(models: readonly { name: string; isOwn: boolean }[]): void {
    this.#model.replaceChildren(
      ...models.map(({ name, isOwn }) => element("option", { value: name }, isOwn ? `${name} (built in)` : name)),
      element("option", { value: OTHER }, "Other …"),
    );
  }

  showFaces(avatars: readonly SampleFace[]): void {
    this.#face.replaceChildren(...avatars.map(({ id, name }) => element("option", { value: id }, name)));
    this.#face.disabled = avatars.length === 0;
  }

  /** `hasMicrophone`: whether there is something to mute. */
  showState(state: CallState, status: string, hasMicrophone = true): void {
    const isIdle = state === "idle";
    this.#talk.hidden = !isIdle;
    this.#hangUp.hidden = isIdle;
    this.#mute.hidden = state !== "open" || !hasMicrophone;
    this.#level.hidden = this.#mute.hidden;
    this.#mute.ariaPressed = "false";
    this.#type.hidden = state !== "open";
    for (const field of [this.#model, this.#otherModel, this.#instructions]) field.disabled = !isIdle;
    this.#status.textContent = status;
  }

  showStatus(status: string): void {
    this.#status.textContent = status;
  }

  showLevel(level: number): void {
    this.#level.value = level;
  }

  showProblem(text: string): void {
    this.#wrong.textContent = text;
  }

  showLines(lines: readonly SaidLine[]): void {
    const shown = lines.filter(({ text }) => text !== "");
    this.#lines.replaceChildren(
      ...shown.map(({ speaker, text }) => {
        const line = element("li", { className: "line" }, text);
        line.dataset.speaker = speaker;
        return line;
      }),
    );
    this.#lines.scrollTop = this.#lines.scrollHeight;
  }
}
