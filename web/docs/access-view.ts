// How the page's requests are sent: with a token of this machine, with a secret, or not yet.
import { findElement } from "../shared/find-element.ts";

export type AccessKind = "page" | "secret" | "none";

const STATES: Readonly<Record<AccessKind, string>> = {
  page: "Requests of this page are sent with a token of this machine. It opens what the start page makes; paste a secret for everything else.",
  secret: "Requests of this page are sent with your API secret.",
  none: "Requests of this page need an API secret.",
};
const CHANGES: Readonly<Record<AccessKind, string>> = {
  page: "Use an API secret",
  secret: "Forget the secret",
  none: "",
};

export class AccessView {
  readonly #state = findElement("access-state", HTMLElement);
  readonly #change = findElement("access-change", HTMLButtonElement);
  readonly #form = findElement("access", HTMLFormElement);
  readonly #secret = findElement("secret", HTMLInputElement);
  readonly #wrong = findElement("access-wrong", HTMLElement);
  #kind: AccessKind = "none";

  constructor(actions: { useSecret(secret: string): void; forget(): void }) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.useSecret(this.#secret.value);
    });
    this.#change.addEventListener("click", () => (this.#kind === "secret" ? actions.forget() : this.ask()));
  }

  show(kind: AccessKind): void {
    this.#kind = kind;
    this.#state.textContent = STATES[kind];
    this.#change.textContent = CHANGES[kind];
    this.#change.hidden = kind === "none";
    this.#form.hidden = kind !== "none";
    this.#secret.value = "";
    this.#wrong.textContent = "";
  }

  /** Shows the field for a secret. */
  ask(): void {
    this.#form.hidden = false;
    this.#change.hidden = this.#kind !== "secret";
    this.#secret.focus();
  }

  showProblem(text: string): void {
    this.#form.hidden = false;
    this.#wrong.textContent = text;
  }
}
