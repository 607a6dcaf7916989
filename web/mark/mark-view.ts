// Everything around the image: what to do next, the parts that are left to check, and the buttons.
import type { FaceMarkName } from "../../src/face/portrait/face-marks.ts";
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import { FACE_PARTS, type FacePart, marksOf, whereOf } from "./face-parts.ts";
import type { PreviewState } from "./face-preview.ts";
import type { Tap } from "./marking.ts";

/** `loading`; `broken`: there is nothing to mark; `tapping`: three taps; `checking`: the marks are placed; `making`:
 *  they are sent; `ready` and `failed`: the end. */
export type MarkState = "loading" | "broken" | "tapping" | "checking" | "making" | "ready" | "failed";

export interface MarkActions {
  again(): void;
  undo(): void;
  redo(): void;
  zoom(isLarger: boolean): void;
  fit(): void;
  nudge(byX: number, byY: number): void;
  turn(steps: number, larger: number): void;
  restart(): void;
  placeTap(): void;
  /** Undefined: the whole face. */
  openPart(part: FacePart | undefined): void;
  select(name: FaceMarkName): void;
  confirm(): void;
  confirmPart(): void;
  play(isPlaying: boolean): void;
  save(): void;
}

/** What is checked and selected. */
export interface CheckContent {
  part: FacePart | undefined;
  selected: FaceMarkName | undefined;
  left: readonly FaceMarkName[];
  /** Why these marks can't be sent; empty if they can. */
  problem: string;
}

const TAP_HINTS: Readonly<Record<Tap, string>> = {
  "pupil-left": "Tap 1 of 3: the middle of the eye on the left.",
  "pupil-right": "Tap 2 of 3: the middle of the eye on the right.",
  mouth: "Tap 3 of 3: the middle of the mouth, where the lips meet.",
};
const PREVIEW_TEXTS: Readonly<Record<PreviewState, string>> = {
  waiting: "It moves once every point fits.",
  making: "Making the preview …",
  shown: "How it will blink and say “ah”.",
  failed: "No preview in this browser. The face can be made all the same.",
};

export class MarkView {
  readonly #page = findElement("page", HTMLElement);
  readonly #hint = findElement("hint", HTMLElement);
  readonly #undo = findElement("undo", HTMLButtonElement);
  readonly #redo = findElement("redo", HTMLButtonElement);
  readonly #parts = findElement("parts", HTMLElement);
  readonly #points = findElement("points", HTMLElement);
  readonly #left = findElement("left", HTMLElement);
  readonly #problem = findElement("problem", HTMLElement);
  readonly #save = findElement("save", HTMLButtonElement);
  readonly #sketch = document.querySelector("#sketch")!;
  readonly #place = findElement("place", HTMLButtonElement);
  readonly #preview = findElement("preview", HTMLElement);
  readonly #play = findElement("play", HTMLButtonElement);
  readonly #progress = findElement("progress", HTMLProgressElement);
  readonly #open = findElement("open", HTMLAnchorElement);
  readonly #actions: MarkActions;
  #isPlaying = true;

  /** `isFramed`: the page that shows this one in a frame has the heading. */
  constructor(actions: MarkActions, { isFramed }: { isFramed: boolean }) {
    this.#actions = actions;
    findElement("title", HTMLElement).hidden = isFramed;
    this.#page.toggleAttribute("data-framed", isFramed);
    for (const [id, act] of Object.entries({
      again: actions.again,
      undo: actions.undo,
      redo: actions.redo,
      smaller: () => actions.zoom(false),
      larger: () => actions.zoom(true),
      fit: actions.fit,
      place: actions.placeTap,
      restart: actions.restart,
      confirm: actions.confirm,
      "confirm-part": actions.confirmPart,
      save: actions.save,
      play: () => this.setPlaying(!this.#isPlaying),
    })) {
      findElement(id, HTMLButtonElement).addEventListener("click", () => act());
    }
    this.#takePads();
    this.#takeKeys();
    this.#parts.append(this.#partButton(undefined), ...FACE_PARTS.map((part) => this.#partButton(part)));
  }

  /** Shows a state with what to do in it. */
  show(state: MarkState, hint: string): void {
    this.#page.dataset.state = state;
    const isWork = state === "tapping" || state === "checking";
    const visible: Record<string, boolean> = {
      broken: state === "broken",
      desk: isWork || state === "making" || state === "ready" || state === "failed",
      stage: isWork,
      tools: isWork,
      check: state === "checking",
      moves: isWork,
      send: state === "checking",
      made: state === "making" || state === "ready",
    };
    for (const [id, isVisible] of Object.entries(visible)) findElement(id, HTMLElement).hidden = !isVisible;
    this.#preview.hidden = state === "tapping";
    this.#sketch.toggleAttribute("hidden", state !== "tapping");
    if (state !== "tapping") this.showCrosshair(false);
    this.#hint.classList.toggle("wrong", state === "broken" || state === "failed");
    this.say(hint);
  }

  /** There is nothing to mark. `canRepeat`: there may be later. */
  showBroken(problem: string, { canRepeat }: { canRepeat: boolean }): void {
    findElement("again", HTMLButtonElement).hidden = !canRepeat;
    this.show("broken", problem);
  }

  /** Says what to do, also to users of screen readers. */
  say(text: string): void {
    if (this.#hint.textContent !== text) this.#hint.textContent = text;
  }

  showTap(tap: Tap, problem?: string): void {
    for (const target of this.#sketch.querySelectorAll<SVGElement>(".target")) {
      target.toggleAttribute("data-wanted", target.dataset.tap === tap);
    }
    for (const id of ["whole", "point"]) findElement(id, HTMLElement).hidden = true;
    this.show("tapping", problem === undefined ? TAP_HINTS[tap] : `${problem} ${TAP_HINTS[tap]}`);
  }

  showChecks({ part, selected, left, problem }: CheckContent): void {
    const isLeft = (name: FaceMarkName) => left.includes(name);
    for (const [i, button] of [...this.#parts.children].entries()) {
      const own = i === 0 ? undefined : FACE_PARTS[i - 1];
      button.ariaPressed = String(own === part);
      if (!own) continue;
      const count = marksOf(own).filter(isLeft).length;
      (button.lastElementChild as HTMLElement).textContent = count === 0 ? "✓" : `${count} left`;
    }
    const total = left.length;
    this.#left.textContent =
      total === 0
        ? "Every point is checked."
        : `${total} ${total === 1 ? "point is" : "points are"} left to check. Look at the preview: if it moves well, they lie well.`;
    this.#points.hidden = !part;
    this.#points.replaceChildren(
      ...(part ? marksOf(part).map((name) => this.#pointItem(part, name, isLeft(name), selected)) : []),
    );
    findElement("whole", HTMLElement).hidden = part !== undefined;
    findElement("point", HTMLElement).hidden = part === undefined;
    this.#problem.textContent = problem;
    this.#save.disabled = problem !== "";
  }

  /** The crosshair is in use, so that it can be tapped with. */
  showCrosshair(isShown: boolean): void {
    this.#page.toggleAttribute("data-crosshair", isShown);
    this.#place.hidden = !isShown;
  }

  showSteps({ canUndo, canRedo }: { canUndo: boolean; canRedo: boolean }): void {
    this.#undo.disabled = !canUndo;
    this.#redo.disabled = !canRedo;
  }

  showPreview(state: PreviewState): void {
    this.#preview.dataset.state = state;
    findElement("preview-text", HTMLElement).textContent = PREVIEW_TEXTS[state];
    this.#play.hidden = state !== "shown";
  }

  setPlaying(isPlaying: boolean): void {
    this.#isPlaying = isPlaying;
    this.#play.textContent = isPlaying ? "Pause" : "Play";
    this.#actions.play(isPlaying);
  }

  /** `link`: to the avatar, once it is there. */
  showMade(progress: number, link: string | undefined): void {
    this.#progress.value = progress;
    this.#progress.hidden = link !== undefined;
    this.#open.hidden = link === undefined;
    if (link === undefined) return;
    this.#open.href = link;
    this.#open.focus();
  }

  #partButton(part: FacePart | undefined): HTMLButtonElement {
    const button = element(
      "button",
      { type: "button" },
      part ? `${part.title} ` : "Whole face",
      part && element("span", { className: "count" }),
    );
    button.addEventListener("click", () => this.#actions.openPart(part));
    return button;
  }

  #pointItem(part: FacePart, name: FaceMarkName, isLeft: boolean, selected: FaceMarkName | undefined): HTMLElement {
    const button = element("button", {
      type: "button",
      textContent: `${isLeft ? "" : "✓ "}${part.points[name]}`,
      title: whereOf(name),
      ariaPressed: String(name === selected),
    });
    button.addEventListener("click", () => this.#actions.select(name));
    return element("li", {}, button);
  }

  #takePads(): void {
    for (const button of document.querySelectorAll<HTMLElement>("[data-nudge], [data-turn]")) {
      const [first, second] = (button.dataset.nudge ?? button.dataset.turn ?? "").split(" ").map(Number);
      const act = button.dataset.nudge === undefined ? this.#actions.turn : this.#actions.nudge;
      button.addEventListener("click", () => act(first, second));
    }
  }

  #takeKeys(): void {
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key === "y" || (key === "z" && event.shiftKey)) this.#actions.redo();
      else if (key === "z") this.#actions.undo();
      else return;
      event.preventDefault();
    });
  }
}
