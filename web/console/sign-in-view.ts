// The ways to sign in.
import { findElement } from "../shared/find-element.ts";

export interface SignInActions {
  useSecret(secret: string): void;
  goToIssuer(): void;
}

export class SignInView {
  readonly #secret = findElement("secret", HTMLInputElement);
  readonly #issuer = findElement("issuer", HTMLButtonElement);

  constructor(actions: SignInActions) {
    findElement("secret-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      const secret = this.#secret.value;
      this.#secret.value = "";
      actions.useSecret(secret);
    });
    this.#issuer.addEventListener("click", () => actions.goToIssuer());
  }

  /** `issuer`: its name; null without one. */
  show(issuer: string | null): void {
    findElement("issuer-panel", HTMLElement).hidden = issuer === null;
    if (issuer !== null) this.#issuer.textContent = `Sign in with ${issuer}`;
    findElement("sign-in", HTMLElement).hidden = false;
  }

  hide(): void {
    findElement("sign-in", HTMLElement).hidden = true;
  }
}
