// What the face shows from which time of a segment's audio on.
import type { Expression } from "../../../shared/expressions.ts";

interface ExpressionCue {
  startMs: number;
  expression: Expression;
}

/** Times are ms of the segment's audio. */
export class ExpressionCues {
  /** In the order of their times. */
  #cues: ExpressionCue[] = [];
  #current: Expression | null = null;

  /** Shown from `startMs` on, instead of the cue before it. Cues come in their order. */
  add(expression: Expression, startMs: number): void {
    const behind = this.#cues.filter((cue) => cue.startMs < startMs);
    this.#cues = [...behind, { startMs, expression }];
  }

  /** `durationMs` of audio at `atMs` was removed. */
  leaveOut(atMs: number, durationMs: number): void {
    for (const cue of this.#cues) if (cue.startMs > atMs) cue.startMs = Math.max(atMs, cue.startMs - durationMs);
  }

  /** What is shown at a time; null before the first cue. Drops what was before it: times come in their order. */
  at(timeMs: number): Expression | null {
    while (this.#cues[0] && this.#cues[0].startMs <= timeMs) this.#current = this.#cues.shift()!.expression;
    return this.#current;
  }
}
