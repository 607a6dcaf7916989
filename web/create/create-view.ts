// The flow's states: what is shown in each, its title, and where the focus goes.
import { StateMachine } from "../../program/state-machine.ts";
import type { CreateContext } from "./create-context.ts";
import { CREATE_MOVES, type CreateState } from "./create-state.ts";

/** Where the focus goes when a state is shown, if not to its title. */
const FIRST_CONTROL: Readonly<Partial<Record<CreateState, string>>> = {
  empty: "choose",
  access: "secret",
  describing: "prompt",
};

/** Shows one state at a time. Everything that is shown goes through textContent: names and messages come from outside.
 *  */
export class CreateView {
  readonly #context: CreateContext;
  readonly #root: HTMLElement;
  readonly #title: HTMLElement;
  readonly #pictureWrong: HTMLElement;
  readonly #status: HTMLElement;
  readonly #views: readonly HTMLElement[];
  readonly #state = new StateMachine<CreateState>(CREATE_MOVES, "empty");
  readonly #onChange: (state: CreateState) => void;

  /** `onChange` gets each state after it is shown. */
  constructor(context: CreateContext, onChange: (state: CreateState) => void) {
    const { find } = context;
    this.#context = context;
    this.#root = find("create", HTMLElement);
    this.#title = find("title", HTMLElement);
    this.#pictureWrong = find("picture-wrong", HTMLElement);
    this.#status = find("status", HTMLElement);
    this.#views = [...this.#root.querySelectorAll<HTMLElement>("[data-view]")];
    this.#onChange = onChange;
  }

  get state(): CreateState {
    return this.#state.current;
  }

  /** Shows a state. `title` replaces the usual one. */
  show(state: CreateState, title = this.#context.texts.titles[state]): void {
    const isNew = state !== this.state;
    this.#state.enter(state);
    this.#root.dataset.state = state;
    this.#title.textContent = title;
    const active = document.activeElement;
    for (const view of this.#views) view.hidden = !view.dataset.view?.split(" ").includes(state);
    // It is seen from its beginning, the face.
    if (isNew) scrollToTop(this.#root);
    // The focus goes on with the visitor: it would be lost with the button that was pressed.
    const isLost = active instanceof HTMLElement && active !== document.body && active.closest("[hidden]") !== null;
    if (isLost) this.#context.find(FIRST_CONTROL[state] ?? "title", HTMLElement).focus();
    this.say(title);
    this.#onChange(state);
  }

  /** What is wrong with a file, in any state; an empty message hides it. */
  showPictureProblem(message: string): void {
    this.#pictureWrong.textContent = message;
  }

  /** Whether files are dragged over the page. */
  showDrag(isOver: boolean): void {
    this.#root.toggleAttribute("data-dragged", isOver);
  }

  /** Tells users of screen readers. */
  say(text: string): void {
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }
}

/** Scrolls whatever scrolls the element: the page, or a part of it. */
function scrollToTop(element: HTMLElement): void {
  for (let part = element.parentElement; part; part = part.parentElement) part.scrollTop = 0;
}
