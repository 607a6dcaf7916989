// What can be taken hold of on the image: 44 px squares that stand beside their points where these lie close together.
import type { FaceMark, FaceMarkName } from "../../src/face/portrait/face-marks.ts";
import { element } from "../shared/element.ts";
import { spreadHandles } from "./spread-handles.ts";

/** A mark, or the crosshair of the taps, or the whole face: to move it, or to turn and scale it. */
export type HandleId = FaceMarkName | "crosshair" | "move" | "turn";

export interface Handle {
  id: HandleId;
  label: string;
  /** Px of the stage. */
  at: FaceMark;
  isSelected: boolean;
  isChecked: boolean;
}

/** Side of a handle, px of the screen: a finger. Also the greatest distance from which one is grabbed. */
export const HANDLE_PX = 44;

/** Keeps one button for each handle, so that the focus stays where it is. */
export class Handles {
  readonly #layer: HTMLElement;
  readonly #stems: SVGElement;
  readonly #buttons = new Map<HandleId, HTMLButtonElement>();
  #places = new Map<HandleId, FaceMark>();

  /** `layer` receives the buttons, `stems` the lines from them to their points. */
  constructor(layer: HTMLElement, stems: SVGElement) {
    this.#layer = layer;
    this.#stems = stems;
  }

  show(handles: readonly Handle[]): void {
    for (const [id, button] of this.#buttons) {
      if (handles.some((handle) => handle.id === id)) continue;
      button.remove();
      this.#buttons.delete(id);
    }
    const places = spreadHandles(
      handles.map(({ at }) => at),
      HANDLE_PX,
    );
    this.#places = new Map(handles.map(({ id }, i) => [id, places[i]]));
    this.#stems.replaceChildren(...handles.map(({ at }, i) => stem(at, places[i])));
    for (const [i, { id, label, isSelected, isChecked }] of handles.entries()) {
      const button = this.#buttons.get(id) ?? this.#add(id);
      button.ariaLabel = label;
      button.ariaPressed = String(isSelected);
      button.toggleAttribute("data-checked", isChecked);
      button.style.transform = `translate(${places[i].x - HANDLE_PX / 2}px, ${places[i].y - HANDLE_PX / 2}px)`;
    }
  }

  /** The handle nearest to a place on the stage; undefined if none is within a finger's width. */
  nearest(at: FaceMark): HandleId | undefined {
    let best: HandleId | undefined;
    let bestPx = HANDLE_PX;
    for (const [id, place] of this.#places) {
      const awayPx = Math.hypot(place.x - at.x, place.y - at.y);
      if (awayPx < bestPx) [best, bestPx] = [id, awayPx];
    }
    return best;
  }

  focus(id: HandleId): void {
    this.#buttons.get(id)?.focus({ preventScroll: true });
  }

  /** The handle that has the focus. */
  get focused(): HandleId | undefined {
    return [...this.#buttons].find(([, button]) => button === document.activeElement)?.[0];
  }

  #add(id: HandleId): HTMLButtonElement {
    const button = element("button", { type: "button", className: "handle" });
    button.dataset.handle = id;
    this.#buttons.set(id, button);
    this.#layer.append(button);
    return button;
  }
}

function stem(from: FaceMark, to: FaceMark): SVGElement {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [name, value] of Object.entries({ x1: from.x, y1: from.y, x2: to.x, y2: to.y })) {
    line.setAttribute(name, value.toFixed(1));
  }
  return line;
}
