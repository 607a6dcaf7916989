// Keeps what was placed in the browser, so that a page that is loaded again goes on where it was.
import { FACE_MARK_NAMES, type FaceMark, type FaceMarkName } from "../../src/face/portrait/face-marks.ts";
import { type MarkingState, TAPS } from "./marking.ts";

const KEY = "face-marks";

export interface KeptMarkingOptions {
  /** `localStorage`; may refuse. */
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Of what is kept: another portrait begins anew. One at a time is kept. */
  portrait: string;
}

/** Its methods never throw: without storage the page works, and a reload begins anew. */
export class KeptMarking {
  readonly #options: KeptMarkingOptions;

  constructor(options: KeptMarkingOptions) {
    this.#options = options;
  }

  read(): MarkingState | undefined {
    try {
      const kept = JSON.parse(this.#options.storage().getItem(KEY) ?? "null") as Record<string, unknown> | null;
      return kept?.portrait === this.#options.portrait ? parseState(kept.state) : undefined;
    } catch {
      return undefined;
    }
  }

  write(state: MarkingState): void {
    try {
      this.#options.storage().setItem(KEY, JSON.stringify({ portrait: this.#options.portrait, state }));
    } catch {
      // Storage is full or denied.
    }
  }

  forget(): void {
    try {
      this.#options.storage().removeItem(KEY);
    } catch {
      // Then nothing is kept either.
    }
  }
}

/** Undefined for anything that this module did not write. */
function parseState(value: unknown): MarkingState | undefined {
  const { taps, marks, checked } = Object(value) as Record<string, unknown>;
  const isWhole =
    Array.isArray(taps) &&
    taps.length <= TAPS.length &&
    taps.every(isMark) &&
    Array.isArray(checked) &&
    checked.every((name) => FACE_MARK_NAMES.includes(name as FaceMarkName)) &&
    (marks === null ? taps.length < TAPS.length : FACE_MARK_NAMES.every((name) => isMark(Object(marks)[name])));
  return isWhole ? (value as MarkingState) : undefined;
}

function isMark(value: unknown): value is FaceMark {
  const { x, y } = Object(value) as Record<string, unknown>;
  return Number.isFinite(x) && Number.isFinite(y);
}
