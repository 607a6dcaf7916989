// The start page's states: what is shown in each, its title, and where the focus goes.
import { StateMachine } from "../../program/state-machine.ts";
import { findElement } from "../shared/find-element.ts";
import { HOME_MOVES, type HomeState } from "./home-state.ts";

const TITLES: Readonly<Record<HomeState, string>> = {
  empty: "Put your own photograph here and it talks",
  opening: "One moment",
  finding: "Looking for the face",
  framing: "Frame the face",
  waking: "It wakes up",
  chosen: "Give it a voice",
  access: "An API secret, please",
  making: "Making it talk",
  marking: "Show where the face is",
  refused: "That did not work",
  talking: "Your avatar",
};
/** Where the focus goes when a state is shown, if not to its title. */
const FIRST_CONTROL: Readonly<Partial<Record<HomeState, string>>> = { empty: "choose", access: "secret" };

/** Shows one state at a time. Everything that is shown goes through textContent: names and messages come from outside.
 *  */
export class HomeView {
  readonly #home = findElement("home", HTMLElement);
  readonly #title = findElement("title", HTMLElement);
  readonly #pictureWrong = findElement("picture-wrong", HTMLElement);
  readonly #status = findElement("status", HTMLElement);
  readonly #views = [...document.querySelectorAll<HTMLElement>("[data-view]")];
  readonly #state = new StateMachine<HomeState>(HOME_MOVES, "empty");
  readonly #onChange: (state: HomeState) => void;

  /** `onChange` gets each state after it is shown. */
  constructor(onChange: (state: HomeState) => void) {
    this.#onChange = onChange;
  }

  get state(): HomeState {
    return this.#state.current;
  }

  /** Shows a state. `title` replaces the usual one. */
  show(state: HomeState, title = TITLES[state]): void {
    const isNew = state !== this.state;
    this.#state.enter(state);
    this.#home.dataset.state = state;
    this.#title.textContent = title;
    const active = document.activeElement;
    for (const view of this.#views) view.hidden = !view.dataset.view?.split(" ").includes(state);
    // It is seen from its beginning, the face.
    if (isNew) window.scrollTo(0, 0);
    // The focus goes on with the visitor: it would be lost with the button that was pressed.
    const isLost = active instanceof HTMLElement && active !== document.body && active.closest("[hidden]") !== null;
    if (isLost) findElement(FIRST_CONTROL[state] ?? "title", HTMLElement).focus();
    this.say(title);
    this.#onChange(state);
  }

  /** What is wrong with a file, in any state; an empty message hides it. */
  showPictureProblem(message: string): void {
    this.#pictureWrong.textContent = message;
  }

  /** Whether files are dragged over the page. */
  showDrag(isOver: boolean): void {
    this.#home.toggleAttribute("data-dragged", isOver);
  }

  /** Tells users of screen readers. */
  say(text: string): void {
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }
}
