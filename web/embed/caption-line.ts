// The caption under the face: the sentence being said, for as long as it takes to say.

/** Time a finished caption stays at least, and what each character adds, in ms: 11 characters a second, for a calm
 *  voice, with audio that comes after its text. */
const SHORTEST_MS = 2500;
const PER_CHARACTER_MS = 88;
const LONGEST_MS = 20_000;

/** How long a text stays on screen, in ms. */
export function captionTimeMs(text: string): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, text.length * PER_CHARACTER_MS));
}

export interface CaptionLineOptions {
  /** Shows a text; undefined hides the line. */
  show(text: string | undefined): void;
  /** Clock of the page, `setTimeout` and `clearTimeout` by default. */
  setTimer?(callback: () => void, delayMs: number): unknown;
  clearTimer?(timer: unknown): void;
}

/** Collects pieces of captions. A newer segment replaces an older one; a segment grows piece by piece. */
export class CaptionLine {
  readonly #options: Required<CaptionLineOptions>;
  #segmentId: string | undefined;
  #timer: unknown;

  constructor(options: CaptionLineOptions) {
    this.#options = {
      setTimer: (callback, delayMs) => setTimeout(callback, delayMs),
      clearTimer: (timer) => clearTimeout(timer as number | undefined),
      ...options,
    };
  }

  /** The whole text of a segment so far. */
  update(segmentId: string, text: string): void {
    const trimmed = text.trim();
    if (!trimmed) return;
    this.#segmentId = segmentId;
    this.#options.clearTimer(this.#timer);
    this.#options.show(trimmed);
    this.#timer = this.#options.setTimer(() => {
      if (this.#segmentId === segmentId) this.clear();
    }, captionTimeMs(trimmed));
  }

  /** Empties the line. */
  clear(): void {
    this.#options.clearTimer(this.#timer);
    this.#segmentId = undefined;
    this.#options.show(undefined);
  }
}
