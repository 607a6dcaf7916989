// The image on which a person places marks: zoomed and moved by fingers, wheel and keys, with handles and a loupe.
import {
  FACE_MARK_NAMES,
  type FaceMark,
  type FaceMarkName,
  type FaceMarks,
} from "../../src/face/portrait/face-marks.ts";
import { findElement } from "../shared/find-element.ts";
import { faceLines } from "./face-lines.ts";
import { describeMark, type FacePart, marksOf } from "./face-parts.ts";
import { HANDLE_PX, type Handle, type HandleId, Handles } from "./handles.ts";
import { Loupe } from "./loupe.ts";
import { middleOf } from "./marking.ts";
import {
  boxAround,
  fitBox,
  fitImage,
  type ImageBox,
  panBy,
  type Size,
  toImage,
  toScreen,
  type Viewport,
  zoomAt,
} from "./viewport.ts";

/** What the stage shows. */
export interface MarkedImageContent {
  taps: readonly FaceMark[];
  marks: FaceMarks | null;
  /** Its points have handles; the whole face has while it is undefined. */
  part: FacePart | undefined;
  selected: FaceMarkName | undefined;
  isChecked: (name: FaceMarkName) => boolean;
}

/** What a person does on the stage. Places are in px of the image. */
export interface MarkedImageActions {
  tap(at: FaceMark): void;
  /** Keys or buttons move the crosshair. */
  aim(): void;
  select(name: FaceMarkName): void;
  move(name: FaceMarkName, to: FaceMark): void;
  shift(byX: number, byY: number): void;
  turn(angleRad: number, scale: number): void;
  /** Enter on a handle: it lies right. */
  confirm(): void;
  /** What comes until `release` is one step. */
  hold(): void;
  release(): void;
}

const SVG = "http://www.w3.org/2000/svg";
/** A press that moves less is a tap, px of the screen. */
const STILL_PX = 4;
/** Space around a part that fills the stage: what its lines may be corrected to, as a share of the stage. */
const PART_MARGIN = 0.22;
const WHEEL_FACTOR = 1.0015;
const BUTTON_FACTOR = 1.5;
/** Steps of keys and buttons: px of the screen, and with Shift. */
const STEP_PX = 1;
const BIG_STEP_PX = 10;
const TURN_STEP_RAD = Math.PI / 90;
const SCALE_STEP = 1.02;
const BIG_TURN_STEPS = 5;
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Drag {
  /** What is held; the image itself while it is undefined. */
  handle: HandleId | undefined;
  /** Where the press began and where it is, px of the stage. */
  from: FaceMark;
  last: FaceMark;
  hasMoved: boolean;
}

export class MarkedImage {
  readonly #actions: MarkedImageActions;
  readonly #image: Size;
  readonly #stage = findElement("stage", HTMLElement);
  readonly #picture = findSvg("picture");
  readonly #lines = findSvg("lines");
  readonly #dots = findSvg("dots");
  readonly #loupe = new Loupe(findElement("loupe", HTMLElement));
  readonly #handles = new Handles(findElement("handles", HTMLElement), findSvg("stems"));
  readonly #pointers = new Map<number, FaceMark>();
  #content: MarkedImageContent = {
    taps: [],
    marks: null,
    part: undefined,
    selected: undefined,
    isChecked: () => false,
  };
  #view: Viewport = { scale: 1, x: 0, y: 0 };
  /** What is fitted to the stage when its size changes; undefined once a person has zoomed. */
  #fitted: ImageBox | "image" | undefined = "image";
  #crosshair: FaceMark;
  #drag: Drag | undefined;

  constructor(image: Size & { imageUrl: string }, actions: MarkedImageActions) {
    this.#image = image;
    this.#actions = actions;
    this.#crosshair = { x: image.widthPx / 2, y: image.heightPx / 2 };
    const content = findSvg("image");
    for (const [name, value] of Object.entries({
      href: image.imageUrl,
      width: image.widthPx,
      height: image.heightPx,
    })) {
      content.setAttribute(name, String(value));
    }
    new ResizeObserver(() => this.#resize()).observe(this.#stage);
    this.#takePointers();
    this.#stage.addEventListener("keydown", (event) => this.#takeKey(event));
    this.#stage.addEventListener("focusin", () => this.#selectFocused());
    this.#stage.addEventListener("dblclick", (event) => event.preventDefault());
  }

  /** Draws the content; another part is zoomed to. */
  show(content: MarkedImageContent): void {
    const hasOtherPart =
      content.part !== this.#content.part || (content.marks === null) !== (this.#content.marks === null);
    this.#content = content;
    if (hasOtherPart) this.fit();
    else this.#draw();
  }

  /** Shows the part, or the whole image, as large as the stage. */
  fit(): void {
    const { part, marks } = this.#content;
    this.#fitted = part && marks ? boxAround(marksOf(part).map((name) => marks[name])) : "image";
    this.#resize();
  }

  zoom(isLarger: boolean): void {
    const { widthPx, heightPx } = this.#size;
    this.#zoomAt({ x: widthPx / 2, y: heightPx / 2 }, isLarger ? BUTTON_FACTOR : 1 / BUTTON_FACTOR);
  }

  /** Moves what is selected, or the crosshair, by steps. */
  nudge(byX: number, byY: number, isBig = false): void {
    this.#step(this.#current, byX, byY, isBig);
  }

  /** Turns and scales the whole face by steps. */
  turn(steps: number, larger: number): void {
    this.#actions.turn(steps * TURN_STEP_RAD, SCALE_STEP ** larger);
  }

  /** Takes the tap where the crosshair is. */
  tapAtCrosshair(): void {
    this.#actions.tap(this.#crosshair);
  }

  focusSelected(): void {
    this.#handles.focus(this.#current);
  }

  get #current(): HandleId {
    const { marks, part, selected } = this.#content;
    if (!marks) return "crosshair";
    return part && selected ? selected : "move";
  }

  get #size(): Size {
    return { widthPx: this.#stage.clientWidth, heightPx: this.#stage.clientHeight };
  }

  #resize(): void {
    const size = this.#size;
    if (size.widthPx === 0 || size.heightPx === 0) return;
    if (this.#fitted === "image") this.#view = fitImage(this.#image, size);
    else if (this.#fitted) this.#view = fitBox(this.#fitted, size, PART_MARGIN * Math.min(size.widthPx, size.heightPx));
    this.#draw();
  }

  #draw(): void {
    const { widthPx, heightPx } = this.#size;
    const { scale, x, y } = this.#view;
    const { taps, marks, part } = this.#content;
    this.#picture.setAttribute("viewBox", [x, y, widthPx / scale, heightPx / scale].join(" "));
    this.#lines.setAttribute("d", marks ? faceLines(marks) : "");
    const dots = marks
      ? FACE_MARK_NAMES.filter((name) => !part || !(name in part.points)).map((name) => marks[name])
      : taps;
    this.#dots.replaceChildren(...dots.map((dot) => circle(dot, 3.5 / scale)));
    this.#handles.show(this.#listHandles());
  }

  #listHandles(): Handle[] {
    const { taps, marks, part, selected, isChecked } = this.#content;
    const at = (mark: FaceMark) => toScreen(this.#view, mark);
    if (!marks) {
      const label = `Crosshair for tap ${taps.length + 1}. Move it with the arrow keys, place it with Enter.`;
      return [{ id: "crosshair", label, at: at(this.#crosshair), isSelected: true, isChecked: false }];
    }
    if (!part) {
      const box = boxAround(FACE_MARK_NAMES.map((name) => marks[name]));
      const { widthPx, heightPx } = this.#size;
      const corner = at({ x: box.x + box.widthPx, y: box.y + box.heightPx });
      const within = (value: number, limit: number) => Math.min(limit - HANDLE_PX / 2, Math.max(HANDLE_PX / 2, value));
      const turnAt = { x: within(corner.x, widthPx), y: within(corner.y, heightPx) };
      const middle = at({ x: box.x + box.widthPx / 2, y: box.y + box.heightPx / 2 });
      return [
        { id: "move", label: "Move the whole face", at: middle, isSelected: true, isChecked: false },
        { id: "turn", label: "Turn and scale the whole face", at: turnAt, isSelected: false, isChecked: false },
      ];
    }
    return marksOf(part).map((name) => ({
      id: name,
      label: `${describeMark(name)}${isChecked(name) ? ", checked" : ""}`,
      at: at(marks[name]),
      isSelected: name === selected,
      isChecked: isChecked(name),
    }));
  }

  #takePointers(): void {
    const stage = this.#stage;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      stage.setPointerCapture(event.pointerId);
      const at = this.#placeOf(event);
      this.#pointers.set(event.pointerId, at);
      if (this.#pointers.size > 1) this.#endDrag(false);
      else this.#beginDrag(at);
    });
    stage.addEventListener("pointermove", (event) => {
      const before = this.#pointers.get(event.pointerId);
      if (!before) return;
      const at = this.#placeOf(event);
      if (this.#pointers.size === 2) this.#pinch(event.pointerId, before, at);
      this.#pointers.set(event.pointerId, at);
      if (this.#pointers.size === 1) this.#dragTo(at);
    });
    for (const type of ["pointerup", "pointercancel"] as const) {
      stage.addEventListener(type, (event) => {
        if (!this.#pointers.delete(event.pointerId)) return;
        this.#endDrag(type === "pointerup");
      });
    }
    stage.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.#zoomAt(this.#placeOf(event), WHEEL_FACTOR ** -event.deltaY);
      },
      { passive: false },
    );
  }

  #beginDrag(at: FaceMark): void {
    const { marks } = this.#content;
    const handle = marks ? (this.#handles.nearest(at) ?? (this.#isOnFace(at) ? "move" : undefined)) : "crosshair";
    this.#drag = { handle, from: at, last: at, hasMoved: false };
    this.#actions.hold();
    if (handle) this.#handles.focus(handle);
    if (handle === "crosshair") {
      this.#crosshair = toImage(this.#view, at);
      this.#draw();
      this.#showLoupe(this.#crosshair, at);
    } else if (marks && handle && handle in marks) {
      this.#actions.select(handle as FaceMarkName);
      this.#showLoupe(marks[handle as FaceMarkName], at);
    }
  }

  #dragTo(at: FaceMark): void {
    const drag = this.#drag;
    if (!drag) return;
    if (!drag.hasMoved && Math.hypot(at.x - drag.from.x, at.y - drag.from.y) < STILL_PX) return;
    const [byX, byY] = [at.x - drag.last.x, at.y - drag.last.y];
    drag.hasMoved = true;
    const { handle, last } = drag;
    drag.last = at;
    if (handle === undefined) {
      this.#fitted = undefined;
      this.#view = panBy(this.#view, byX, byY, this.#image, this.#size);
      this.#draw();
    } else if (handle === "crosshair") {
      this.#crosshair = toImage(this.#view, at);
      this.#draw();
      this.#showLoupe(this.#crosshair, at);
    } else if (handle === "turn") this.#turnFrom(last, at);
    else this.#moveBy(handle, byX, byY, at);
  }

  #endDrag(isDone: boolean): void {
    const drag = this.#drag;
    this.#drag = undefined;
    if (!drag) return;
    this.#loupe.hide();
    this.#actions.release();
    if (!isDone) return;
    if (drag.handle === "crosshair") this.#actions.tap(this.#crosshair);
    // In the whole face a tap picks the point that is nearest.
    else if (!drag.hasMoved && drag.handle !== "turn" && !this.#content.part) this.#pick(drag.from);
  }

  #pick(at: FaceMark): void {
    const { marks } = this.#content;
    if (!marks) return;
    const away = (name: FaceMarkName) => {
      const place = toScreen(this.#view, marks[name]);
      return Math.hypot(place.x - at.x, place.y - at.y);
    };
    const nearest = FACE_MARK_NAMES.reduce((best, name) => (away(name) < away(best) ? name : best));
    if (away(nearest) < HANDLE_PX) this.#actions.select(nearest);
  }

  #pinch(id: number, before: FaceMark, at: FaceMark): void {
    const other = [...this.#pointers].find(([pointer]) => pointer !== id)?.[1];
    if (!other) return;
    const spread = (point: FaceMark) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    this.#fitted = undefined;
    this.#view = panBy(this.#view, (at.x - before.x) / 2, (at.y - before.y) / 2, this.#image, this.#size);
    this.#zoomAt({ x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }, spread(at) / spread(before));
  }

  #turnFrom(last: FaceMark, at: FaceMark): void {
    const { marks } = this.#content;
    if (!marks) return;
    const middle = toScreen(this.#view, middleOf(marks));
    const [before, after] = [last, at].map(({ x, y }) => ({ x: x - middle.x, y: y - middle.y }));
    const reach = Math.hypot(before.x, before.y);
    if (reach < 1) return;
    const angleRad = Math.atan2(after.y, after.x) - Math.atan2(before.y, before.x);
    this.#actions.turn(angleRad, Math.max(0.2, Math.hypot(after.x, after.y) / reach));
  }

  /** Moves a mark or the whole face by px of the screen. `finger`: where the loupe must not be. */
  #moveBy(handle: HandleId, byX: number, byY: number, finger?: FaceMark): void {
    const { scale } = this.#view;
    const { marks } = this.#content;
    if (!marks) return;
    if (handle === "move") {
      this.#actions.shift(byX / scale, byY / scale);
      return;
    }
    const name = handle as FaceMarkName;
    this.#actions.move(name, { x: marks[name].x + byX / scale, y: marks[name].y + byY / scale });
    const moved = this.#content.marks?.[name];
    if (moved) this.#showLoupe(moved, finger ?? toScreen(this.#view, moved));
  }

  #takeKey(event: KeyboardEvent): void {
    const direction = DIRECTIONS[event.key];
    const focused = this.#handles.focused;
    if (!focused) return;
    if (direction) this.#step(focused, direction[0], direction[1], event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") this.#accept(focused);
    else return;
    event.preventDefault();
  }

  #accept(handle: HandleId): void {
    if (handle === "crosshair") this.tapAtCrosshair();
    else if (this.#content.part) this.#actions.confirm();
  }

  #step(handle: HandleId, byX: number, byY: number, isBig: boolean): void {
    if (handle === "turn") {
      const steps = isBig ? BIG_TURN_STEPS : 1;
      this.turn(steps * byX, steps * -byY);
      return;
    }
    const px = isBig ? BIG_STEP_PX : STEP_PX;
    if (handle === "crosshair") {
      const { scale } = this.#view;
      const { widthPx, heightPx } = this.#image;
      const within = (value: number, limit: number) => Math.min(limit - 1, Math.max(0, value));
      this.#crosshair = {
        x: within(this.#crosshair.x + (px * byX) / scale, widthPx),
        y: within(this.#crosshair.y + (px * byY) / scale, heightPx),
      };
      this.#actions.aim();
      this.#draw();
      this.#showLoupe(this.#crosshair, toScreen(this.#view, this.#crosshair));
    } else this.#moveBy(handle, px * byX, px * byY);
    this.#loupe.hideSoon();
  }

  #selectFocused(): void {
    const { marks, selected } = this.#content;
    const focused = this.#handles.focused;
    if (marks && focused && focused in marks && focused !== selected) this.#actions.select(focused as FaceMarkName);
  }

  #zoomAt(at: FaceMark, factor: number): void {
    this.#fitted = undefined;
    this.#view = zoomAt(this.#view, at, factor, this.#image, this.#size);
    this.#draw();
  }

  #isOnFace(at: FaceMark): boolean {
    const { marks, part } = this.#content;
    if (!marks || part) return false;
    const box = boxAround(FACE_MARK_NAMES.map((name) => toScreen(this.#view, marks[name])));
    return at.x > box.x && at.y > box.y && at.x < box.x + box.widthPx && at.y < box.y + box.heightPx;
  }

  #showLoupe(point: FaceMark, finger: FaceMark): void {
    this.#loupe.show(point, { finger, scale: this.#view.scale, widthPx: this.#size.widthPx });
  }

  #placeOf(event: MouseEvent): FaceMark {
    const { left, top } = this.#stage.getBoundingClientRect();
    return { x: event.clientX - left - this.#stage.clientLeft, y: event.clientY - top - this.#stage.clientTop };
  }
}

function circle({ x, y }: FaceMark, radius: number): SVGElement {
  const made = document.createElementNS(SVG, "circle");
  for (const [name, value] of Object.entries({ cx: x, cy: y, r: radius })) made.setAttribute(name, String(value));
  return made;
}

function findSvg(id: string): SVGElement {
  const element = document.getElementById(id);
  if (!(element instanceof SVGElement)) throw new TypeError(`the page lacks #${id}`);
  return element;
}
