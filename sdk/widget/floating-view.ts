// The floating face: a button in a corner of the window, and in its place a face that the visitor moves and resizes.
import { closeOnEscape, FaceBox, type FormView, MuteButton, type ViewOptions } from "./form-view.ts";
import { facePicture, icon, iconButton, LABEL, make } from "./make-element.ts";

/** Px that an arrow key moves the face, and that + and - resize it. */
const KEY_STEP_PX = 20;
/** A finger's width stays inside the window. */
const EDGE_PX = 8;

export class FloatingView implements FormView {
  readonly box = new FaceBox();
  readonly parts: readonly HTMLElement[];
  readonly #options: ViewOptions;
  readonly #dock: HTMLElement;
  readonly #launch: HTMLButtonElement;
  readonly #float: HTMLElement;
  readonly #mute: MuteButton;
  readonly #close: HTMLButtonElement;
  readonly #label = make("p", { class: "label" }, LABEL);
  readonly #atLeft: boolean;
  readonly #atTop: boolean;
  /** Px from the corner, and the width of the face, as the visitor wants them; the window may have less. */
  #x: number;
  #y: number;
  #size: number;

  constructor(options: ViewOptions) {
    const { settings, actions } = options;
    this.#options = options;
    const position = cornerOf(options);
    this.#atLeft = position.endsWith("left");
    this.#atTop = position.startsWith("top");
    this.#x = settings.number("margin");
    this.#y = settings.number("margin");
    this.#size = settings.number("size");
    this.#launch = launchButton(options);
    this.#launch.addEventListener("click", () => actions.open());
    this.#mute = new MuteButton(actions);
    this.#close = iconButton("tool", "Close", icon("close"), () => actions.close());
    const tools = make("div", { class: "tools" }, this.#moveHandle(), this.#mute.element, this.#close);
    const stand = make("div", { class: "stand" }, this.box.element, this.#resizeHandle());
    const { notice } = this.box;
    this.#float = make("section", { class: "float", hidden: true }, tools, stand, this.#label, notice);
    closeOnEscape(this.#float, actions);
    this.#dock = make(
      "div",
      { class: "dock", "data-x": this.#atLeft ? "left" : "right", "data-y": this.#atTop ? "top" : "bottom" },
      this.#launch,
      this.#float,
    );
    this.parts = [this.#dock];
    this.showName("");
    this.#place();
    window.addEventListener("resize", this.#place);
  }

  showOpen(isOpen: boolean, byVisitor: boolean): void {
    this.#launch.hidden = isOpen;
    this.#float.hidden = !isOpen;
    this.#place();
    if (byVisitor) (isOpen ? this.#close : this.#launch).focus();
  }

  showMuted(isMuted: boolean): void {
    this.#mute.show(isMuted);
  }

  showName(name: string): void {
    this.#float.setAttribute("aria-label", name || "Avatar");
  }

  showLabel(isShown: boolean): void {
    this.#label.hidden = !isShown;
  }

  close(): void {
    window.removeEventListener("resize", this.#place);
  }

  #moveHandle(): HTMLElement | undefined {
    if (!this.#options.settings.flag("draggable")) return undefined;
    const handle = iconButton("tool move", "Move: drag, or use the arrow keys", icon("move"), () => undefined);
    const [signX, signY] = this.#signs();
    this.#follow(handle, (dx, dy) => {
      this.#x += dx * signX;
      this.#y += dy * signY;
    });
    onArrows(handle, (dx, dy) => {
      this.#x += dx * signX;
      this.#y += dy * signY;
      this.#place();
    });
    return handle;
  }

  #resizeHandle(): HTMLElement | undefined {
    if (!this.#options.settings.flag("resizable")) return undefined;
    const handle = iconButton("resize", "Resize: drag, or use the arrow keys", icon("resize"), () => undefined);
    const [signX, signY] = this.#signs();
    const grow = (dx: number, dy: number) => {
      this.#size += Math.abs(dx) > Math.abs(dy) ? dx * signX : dy * signY;
    };
    this.#follow(handle, grow);
    onArrows(handle, (dx, dy) => {
      grow(dx, dy);
      this.#place();
    });
    return handle;
  }

  /** The distance from the corner grows away from it. */
  #signs(): [number, number] {
    return [this.#atLeft ? 1 : -1, this.#atTop ? 1 : -1];
  }

  /** Follows a finger from its press on. The frame takes no events meanwhile: it would swallow them. */
  #follow(handle: HTMLElement, move: (dx: number, dy: number) => void): void {
    let last: { x: number; y: number } | undefined;
    const end = () => {
      last = undefined;
      this.#float.removeAttribute("data-moves");
    };
    handle.addEventListener("pointerdown", ({ button, pointerId, clientX, clientY }) => {
      if (button !== 0) return;
      handle.setPointerCapture(pointerId);
      last = { x: clientX, y: clientY };
      this.#float.setAttribute("data-moves", "");
    });
    handle.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (!last) return;
      move(clientX - last.x, clientY - last.y);
      last = { x: clientX, y: clientY };
      this.#place();
    });
    handle.addEventListener("lostpointercapture", end);
  }

  /** Keeps the face in the window, in its sizes. */
  #place = (): void => {
    const { settings, styles } = this.#options;
    const { innerWidth, innerHeight } = window;
    const room = Math.min(innerWidth, innerHeight) - 2 * EDGE_PX;
    this.#size = between(this.#size, settings.number("minSize"), settings.number("maxSize"));
    const size = Math.max(Math.min(this.#size, room), 0);
    styles.set("size", size);
    const { offsetWidth, offsetHeight } = this.#dock;
    const x = between(this.#x, EDGE_PX, innerWidth - Math.max(offsetWidth, 52) - EDGE_PX);
    const y = between(this.#y, EDGE_PX, innerHeight - Math.max(offsetHeight, 52) - EDGE_PX);
    styles.set("x", x);
    styles.set("y", y);
    // While it is moved, the finger decides; when the window changes, the wish of before counts again.
    if (this.#float.hasAttribute("data-moves")) {
      this.#x = x;
      this.#y = y;
    }
  };
}

/** The corner that a page asks for; a page that reads from right to left has the button at the left by itself. */
export function cornerOf({ settings, isRightToLeft }: ViewOptions): string {
  return !settings.has("position") && isRightToLeft ? "bottom-left" : settings.text("position");
}

function launchButton({ settings, picture: address }: ViewOptions): HTMLButtonElement {
  const text = settings.text("buttonText");
  const style = settings.text("buttonStyle");
  const picture = facePicture(address, icon("chat"));
  const isRound = style === "circle" || text === "";
  return make(
    "button",
    { class: `launch ${isRound ? "circle" : style}`, type: "button", "aria-label": isRound ? text || "Chat" : false },
    picture,
    isRound ? undefined : text,
  );
}

function onArrows(handle: HTMLElement, move: (dx: number, dy: number) => void): void {
  const steps: Readonly<Record<string, [number, number]>> = {
    ArrowLeft: [-KEY_STEP_PX, 0],
    ArrowRight: [KEY_STEP_PX, 0],
    ArrowUp: [0, -KEY_STEP_PX],
    ArrowDown: [0, KEY_STEP_PX],
  };
  handle.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    move(...step);
  });
}

function between(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}
