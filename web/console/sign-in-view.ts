// The ways to sign in.
import { findElement } from "../shared/find-element.ts";

export interface SignInActions {
  useSecret(secret: string): void;
}

export class SignInView {
  readonly #secret = findElement("secret", HTMLInputElement);

  constructor(actions: SignInActions) {
    findElement("secret-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      const secret = this.#secret.value;
      this.#secret.value = "";
      actions.useSecret(secret);
    });
  }

  show(): void {
    findElement("sign-in", HTMLElement).hidden = false;
  }

  hide(): void {
    findElement("sign-in", HTMLElement).hidden = true;
  }
}
