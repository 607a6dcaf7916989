// The form for an API secret, and the line that says that one is in use.
import { findElement } from "../shared/find-element.ts";

export interface AccessActions {
  use(secret: string, isKept: boolean): void;
  back(): void;
  forget(): void;
}

export class AccessView {
  readonly #secret = findElement("secret", HTMLInputElement);
  readonly #use = findElement("access-use", HTMLButtonElement);
  readonly #hint = findElement("access-hint", HTMLElement);
  readonly #wrong = findElement("access-wrong", HTMLElement);
  readonly #signedIn = findElement("signed-in", HTMLElement);

  constructor(actions: AccessActions) {
    const isKept = findElement("access-keep", HTMLInputElement);
    findElement("access", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      actions.use(this.#secret.value, isKept.checked);
    });
    findElement("access-back", HTMLButtonElement).addEventListener("click", () => actions.back());
    findElement("forget", HTMLButtonElement).addEventListener("click", () => actions.forget());
    if (isSecureContext) return;
    this.#hint.textContent =
      "This page came without https: others on the network can read the secret. Use https, or this service's own machine.";
    this.#hint.className = "wrong";
  }

  /** Shows the empty form, with what was wrong with the secret before; an empty message for nothing. */
  show(problem: string): void {
    this.#secret.value = "";
    this.showProblem(problem);
  }

  showProblem(message: string): void {
    this.#wrong.textContent = message;
    this.#use.disabled = false;
  }

  /** A secret is being checked. */
  showCheck(): void {
    this.#wrong.textContent = "";
    this.#use.disabled = true;
  }

  showSignedIn(isSignedIn: boolean): void {
    this.#signedIn.hidden = !isSignedIn;
    this.#secret.value = "";
  }
}
