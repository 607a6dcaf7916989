// Why there is no avatar, and what can be done: the first of the buttons is the one that helps most.
import { findElement } from "../shared/find-element.ts";
import { RetryCountdown } from "../shared/retry-countdown.ts";

export interface Refusal {
  message: string;
  /** Trying again may help: after `seconds` the page does it by itself, if they are given. */
  retry?: { seconds?: number };
  /** A person may mark a face that was not found. */
  canMark: boolean;
  /** There is a picture to crop or turn. */
  canFrame: boolean;
}

export interface RefusalActions {
  repeat(): void;
  markFace(): void;
  frame(): void;
}

export class RefusalView {
  readonly #message = findElement("refusal", HTMLElement);
  readonly #repeat = findElement("repeat", HTMLButtonElement);
  readonly #mark = findElement("mark", HTMLButtonElement);
  readonly #frame = findElement("refused-frame", HTMLButtonElement);
  readonly #another = findElement("refused-another", HTMLButtonElement);
  readonly #countdown: RetryCountdown;

  constructor(actions: RefusalActions) {
    this.#countdown = new RetryCountdown({
      onSecond: (leftS) => {
        this.#repeat.textContent = `Try again (${leftS})`;
      },
      onEnd: () => actions.repeat(),
    });
    this.#repeat.addEventListener("click", () => actions.repeat());
    this.#mark.addEventListener("click", () => actions.markFace());
    this.#frame.addEventListener("click", () => actions.frame());
  }

  show({ message, retry, canMark, canFrame }: Refusal): void {
    this.#message.textContent = message;
    this.#repeat.hidden = retry === undefined;
    this.#mark.hidden = !canMark;
    this.#frame.hidden = !canFrame;
    const buttons = [this.#repeat, this.#mark, this.#another];
    const first = buttons.find((button) => !button.hidden);
    for (const button of buttons) button.classList.toggle("main", button === first);
    this.#repeat.textContent = "Try again";
    if (retry?.seconds !== undefined) this.#countdown.start(retry.seconds);
  }

  /** The refusal is no longer shown. */
  leave(): void {
    this.#countdown.stop();
  }
}
