// The form for an API secret, and the line that says that one is in use.
import type { CreateContext } from "./create-context.ts";

export interface AccessActions {
  use(secret: string, isKept: boolean): void;
  back(): void;
  forget(): void;
}

export class AccessView {
  readonly #secret: HTMLInputElement;
  readonly #use: HTMLButtonElement;
  readonly #wrong: HTMLElement;
  readonly #signedIn: HTMLElement;

  constructor({ find, texts }: CreateContext, actions: AccessActions) {
    this.#secret = find("secret", HTMLInputElement);
    this.#use = find("access-use", HTMLButtonElement);
    this.#wrong = find("access-wrong", HTMLElement);
    this.#signedIn = find("signed-in", HTMLElement);
    const isKept = find("access-keep", HTMLInputElement);
    find("access", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      actions.use(this.#secret.value, isKept.checked);
    });
    find("access-back", HTMLButtonElement).addEventListener("click", () => actions.back());
    find("forget", HTMLButtonElement).addEventListener("click", () => actions.forget());
    if (isSecureContext) return;
    const hint = find("access-hint", HTMLElement);
    hint.textContent = texts.access.insecure;
    hint.className = "wrong";
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
