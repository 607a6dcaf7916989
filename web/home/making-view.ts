// The steps of a creation, and what holds it up.
import { findElement } from "../shared/find-element.ts";
import { STEP_NAMES } from "./creation-steps.ts";

export class MakingView {
  readonly #steps = findElement("steps", HTMLOListElement);
  readonly #message = findElement("message", HTMLElement);

  constructor() {
    for (const name of STEP_NAMES) {
      const item = document.createElement("li");
      item.textContent = name;
      this.#steps.append(item);
    }
  }

  /** `step` is an index of `STEP_NAMES`, or their number when all are done. */
  showStep(step: number): void {
    for (const [index, item] of [...this.#steps.children].entries()) {
      if (index === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      (item as HTMLElement).dataset.state = index < step ? "done" : "";
    }
    this.showTrouble("");
  }

  /** What holds the creation up; an empty message for nothing. */
  showTrouble(message: string): void {
    if (this.#message.textContent !== message) this.#message.textContent = message;
  }
}
