// Why there is no avatar, and what can be done: the first of the buttons is the one that helps most.
import { RetryCountdown } from "../shared/retry-countdown.ts";
import type { CreateContext } from "./create-context.ts";

export interface Refusal {
  message: string;
  /** Trying again may help: after `seconds` the flow does it by itself, if they are given. */
  retry?: { seconds?: number };
  /** Another model can make what this one refused. */
  canMakeDrawn?: boolean;
  /** Where credits are bought, if they were too few. */
  topUpUrl?: string;
  /** Where to sign in, if the session has ended. */
  signInUrl?: string;
  /** A person may mark a face that was not found. */
  canMark?: boolean;
  /** There is a picture to crop or turn. */
  canFrame?: boolean;
  /** The choices are still there. */
  canChange?: boolean;
}

export interface RefusalActions {
  repeat(): void;
  makeDrawn(): void;
  markFace(): void;
  frame(): void;
  change(): void;
}

export class RefusalView {
  readonly #context: CreateContext;
  readonly #message: HTMLElement;
  readonly #refund: HTMLElement;
  readonly #repeat: HTMLButtonElement;
  readonly #drawn: HTMLButtonElement;
  readonly #topUp: HTMLAnchorElement;
  readonly #signIn: HTMLAnchorElement;
  readonly #mark: HTMLButtonElement;
  readonly #frame: HTMLButtonElement;
  readonly #change: HTMLButtonElement;
  readonly #another: HTMLButtonElement;
  readonly #countdown: RetryCountdown;

  constructor(context: CreateContext, actions: RefusalActions) {
    const { find } = context;
    this.#context = context;
    this.#message = find("refusal", HTMLElement);
    this.#refund = find("refund", HTMLElement);
    this.#repeat = find("repeat", HTMLButtonElement);
    this.#drawn = find("make-drawn", HTMLButtonElement);
    this.#topUp = find("top-up", HTMLAnchorElement);
    this.#signIn = find("sign-in-again", HTMLAnchorElement);
    this.#mark = find("mark", HTMLButtonElement);
    this.#frame = find("refused-frame", HTMLButtonElement);
    this.#change = find("refused-change", HTMLButtonElement);
    this.#another = find("refused-another", HTMLButtonElement);
    this.#countdown = new RetryCountdown({
      onSecond: (leftS) => {
        this.#repeat.textContent = context.texts.refused.repeatIn(leftS);
      },
      onEnd: () => actions.repeat(),
    });
    this.#repeat.addEventListener("click", () => actions.repeat());
    this.#drawn.addEventListener("click", () => actions.makeDrawn());
    this.#mark.addEventListener("click", () => actions.markFace());
    this.#frame.addEventListener("click", () => actions.frame());
    this.#change.addEventListener("click", () => actions.change());
  }

  show(refusal: Refusal): void {
    const { message, retry, topUpUrl, signInUrl } = refusal;
    this.#message.textContent = message;
    this.showRefund("");
    this.#repeat.hidden = retry === undefined;
    this.#drawn.hidden = refusal.canMakeDrawn !== true;
    showLink(this.#topUp, topUpUrl);
    showLink(this.#signIn, signInUrl);
    this.#mark.hidden = refusal.canMark !== true;
    this.#frame.hidden = refusal.canFrame !== true;
    this.#change.hidden = refusal.canChange !== true;
    const ways = [this.#signIn, this.#topUp, this.#drawn, this.#repeat, this.#mark, this.#change, this.#another];
    const first = ways.find((way) => !way.hidden);
    for (const way of ways) way.classList.toggle("main", way === first);
    this.#repeat.textContent = this.#context.texts.refused.repeat;
    if (retry?.seconds !== undefined) this.#countdown.start(retry.seconds);
  }

  /** What was given back; an empty message hides it. */
  showRefund(message: string): void {
    this.#refund.textContent = message;
  }

  /** The refusal is no longer shown. */
  leave(): void {
    this.#countdown.stop();
  }
}

function showLink(link: HTMLAnchorElement, url: string | undefined): void {
  link.hidden = url === undefined;
  if (url !== undefined) link.href = url;
}
