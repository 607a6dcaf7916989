// What a person has placed so far: three taps, then thirty marks, each checked or left to check; with undo and redo.
import { checkFaceMarks } from "../../src/face/portrait/check-face-marks.ts";
import {
  FACE_MARK_NAMES,
  type FaceMark,
  type FaceMarkName,
  type FaceMarks,
} from "../../src/face/portrait/face-marks.ts";
import { anchorProblem, fitFaceMarks, mapMarks } from "../../src/face/portrait/fit-face-marks.ts";

/** What is tapped, in this order. */
export const TAPS = ["pupil-left", "pupil-right", "mouth"] as const;
export type Tap = (typeof TAPS)[number];

/** Plain data, so that it can be kept and read again. */
export interface MarkingState {
  /** The first points of `TAPS`. */
  readonly taps: readonly FaceMark[];
  /** Null until the third tap. They may leave the image while the whole face is moved. */
  readonly marks: FaceMarks | null;
  /** Marks that a person has moved or called right. */
  readonly checked: readonly FaceMarkName[];
}

export interface MarkingOptions {
  image: { widthPx: number; heightPx: number };
  /** Where the service believes the marks; null if it has no idea. */
  guess: FaceMarks | null;
  /** Called after every change. */
  onChange: () => void;
}

const NOTHING: MarkingState = { taps: [], marks: null, checked: [] };
/** Older steps can't be undone. */
const MAX_STEPS = 200;

export class Marking {
  readonly #options: MarkingOptions;
  #state: MarkingState = NOTHING;
  #undo: MarkingState[] = [];
  #redo: MarkingState[] = [];
  /** The state before a drag that is under way. */
  #held: MarkingState | undefined;

  constructor(options: MarkingOptions) {
    this.#options = options;
  }

  get state(): MarkingState {
    return this.#state;
  }

  /** What is to be tapped next; undefined once all marks are placed. */
  get nextTap(): Tap | undefined {
    return this.#state.marks ? undefined : TAPS[this.#state.taps.length];
  }

  /** The marks as they are sent: inside the image, to a tenth of a pixel. Null until the third tap. */
  get marks(): FaceMarks | null {
    const { marks } = this.#state;
    return marks && mapMarks(marks, (mark) => this.#inside(mark));
  }

  /** Marks that were neither moved nor called right. */
  get left(): FaceMarkName[] {
    return FACE_MARK_NAMES.filter((name) => !this.#state.checked.includes(name));
  }

  /** Why the marks can't be a face, as `checkFaceMarks` says it. */
  get problems(): string[] {
    const { marks } = this;
    return marks ? checkFaceMarks(marks, this.#options.image) : [];
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  get canRedo(): boolean {
    return this.#redo.length > 0;
  }

  /** Takes the next of the three taps; the third places all marks. Returns why it can't be right; the tap is then not
   *  taken. */
  tap(at: FaceMark): string | undefined {
    const taps = [...this.#state.taps, this.#inside(at)];
    if (taps.length < TAPS.length) return this.#step({ ...this.#state, taps });
    const [pupilLeft, pupilRight, mouth] = taps;
    const anchors = { pupilLeft, pupilRight, mouth };
    const problem = anchorProblem(anchors);
    if (problem) return problem;
    const marks = fitFaceMarks(anchors, this.#options.guess);
    this.#step({ taps, marks, checked: ["pupil_left", "pupil_right"] });
  }

  /** Moves a mark, which counts as checked then. */
  move(name: FaceMarkName, to: FaceMark): void {
    const { marks, checked } = this.#state;
    if (!marks) return;
    this.#step({
      ...this.#state,
      marks: { ...marks, [name]: this.#inside(to) },
      checked: [...new Set([...checked, name])],
    });
  }

  /** Says that marks lie right. */
  check(names: readonly FaceMarkName[]): void {
    const fresh = names.filter((name) => !this.#state.checked.includes(name));
    if (fresh.length > 0) this.#step({ ...this.#state, checked: [...this.#state.checked, ...fresh] });
  }

  /** Moves the whole face. */
  shift(byX: number, byY: number): void {
    this.#change(({ x, y }) => ({ x: x + byX, y: y + byY }));
  }

  /** Makes the whole face larger and turns it, around its middle. */
  turn(angleRad: number, scale: number): void {
    if (!this.#state.marks) return;
    const { x: middleX, y: middleY } = middleOf(this.#state.marks);
    const [cos, sin] = [scale * Math.cos(angleRad), scale * Math.sin(angleRad)];
    this.#change(({ x, y }) => ({
      x: middleX + (x - middleX) * cos - (y - middleY) * sin,
      y: middleY + (x - middleX) * sin + (y - middleY) * cos,
    }));
  }

  /** Everything until `release` is undone at once. */
  hold(): void {
    this.#held ??= this.#state;
  }

  release(): void {
    const before = this.#held;
    this.#held = undefined;
    if (before && before !== this.#state) this.#remember(before);
    this.#options.onChange();
  }

  undo(): void {
    const before = this.#undo.pop();
    if (!before) return;
    this.#redo.push(this.#state);
    this.#show(before);
  }

  redo(): void {
    const after = this.#redo.pop();
    if (!after) return;
    this.#undo.push(this.#state);
    this.#show(after);
  }

  /** Begins with the first tap again; can be undone. */
  restart(): void {
    if (this.#state !== NOTHING) this.#step(NOTHING);
  }

  /** Goes on with a state of earlier. */
  resume(state: MarkingState): void {
    this.#undo = [];
    this.#redo = [];
    this.#show(state);
  }

  #change(change: (mark: FaceMark) => FaceMark): void {
    const { marks } = this.#state;
    if (marks) this.#step({ ...this.#state, marks: mapMarks(marks, change) });
  }

  #step(state: MarkingState): undefined {
    if (!this.#held) this.#remember(this.#state);
    this.#show(state);
  }

  #remember(before: MarkingState): void {
    this.#undo = [...this.#undo, before].slice(-MAX_STEPS);
    this.#redo = [];
  }

  #show(state: MarkingState): void {
    this.#state = state;
    this.#options.onChange();
  }

  #inside({ x, y }: FaceMark): FaceMark {
    const { widthPx, heightPx } = this.#options.image;
    const within = (value: number, limit: number) => Math.round(10 * Math.min(limit - 1, Math.max(0, value))) / 10;
    return { x: within(x, widthPx), y: within(y, heightPx) };
  }
}

/** The middle of all marks. */
export function middleOf(marks: FaceMarks): FaceMark {
  const mean = (axis: "x" | "y") =>
    FACE_MARK_NAMES.reduce((total, name) => total + marks[name][axis], 0) / FACE_MARK_NAMES.length;
  return { x: mean("x"), y: mean("y") };
}
