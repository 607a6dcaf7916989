// The steps of a creation, what the service says of it, and what holds it up.
import type { CreateContext } from "./create-context.ts";
import { stepNames } from "./creation-steps.ts";

export class MakingView {
  readonly #context: CreateContext;
  readonly #steps: HTMLOListElement;
  readonly #progress: HTMLElement;
  readonly #message: HTMLElement;

  constructor(context: CreateContext) {
    const { find } = context;
    this.#context = context;
    this.#steps = find("steps", HTMLOListElement);
    this.#progress = find("progress", HTMLElement);
    this.#message = find("message", HTMLElement);
    this.begin({ hasPicture: true });
  }

  /** The steps of another creation. */
  begin({ hasPicture }: { hasPicture: boolean }): void {
    this.#steps.replaceChildren(
      ...stepNames(this.#context.texts.making, { hasPicture }).map((name) => {
        const item = document.createElement("li");
        item.textContent = name;
        return item;
      }),
    );
    this.showStep(0);
    this.showProgress("");
  }

  /** `step` is an index of the steps, or their number when all are done. */
  showStep(step: number): void {
    for (const [index, item] of [...this.#steps.children].entries()) {
      if (index === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      (item as HTMLElement).dataset.state = index < step ? "done" : "";
    }
    this.showTrouble("");
  }

  /** What the service says that it does. */
  showProgress(message: string): void {
    if (this.#progress.textContent !== message) this.#progress.textContent = message;
  }

  /** What holds the creation up; an empty message for nothing. */
  showTrouble(message: string): void {
    if (this.#message.textContent !== message) this.#message.textContent = message;
  }
}
