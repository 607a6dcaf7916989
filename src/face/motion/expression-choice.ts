// Which of the expressions that were set is shown.
import { type Expression, NEUTRAL } from "../../../shared/expressions.ts";
import { HOP_MS } from "../../../shared/units.ts";

/** What sets expressions, the strongest first: a request of a participant, what an agent tells with its
 *  transcription, and the mood of the face. */
const EXPRESSION_SOURCES = Object.freeze(["request", "transcription", "mood"] as const);

export type ExpressionSource = (typeof EXPRESSION_SOURCES)[number];

interface SetExpression {
  readonly expression: Expression;
  /** Ticks for which it was set; infinite without an end. */
  readonly ticks: number;
  /** 0 once it has ended. */
  ticksLeft: number;
}

/** The expressions of one face. One value a tick counts: the last that was set before it. */
export class ExpressionChoice {
  readonly #set = new Map<ExpressionSource, SetExpression>();

  /** What is shown: the expression of the strongest source that has one, else neutral. */
  get current(): Expression {
    for (const source of EXPRESSION_SOURCES) {
      const set = this.#set.get(source);
      if (set && set.ticksLeft > 0) return set.expression;
    }
    return NEUTRAL;
  }

  /** What is shown while no other source has an expression. */
  get mood(): Expression {
    return this.#set.get("mood")?.expression ?? NEUTRAL;
  }

  /** Sets the expression of a source from the next tick on, for `atMostMs`; null takes it back. */
  set(source: ExpressionSource, expression: Expression | null, atMostMs = Number.POSITIVE_INFINITY): void {
    const ticks = Math.ceil(atMostMs / HOP_MS);
    if (expression) this.#set.set(source, { expression, ticks, ticksLeft: ticks });
    else this.#set.delete(source);
  }

  /** What is shown in the next tick. `said`: what the speech in it sets; it comes before all other sources. */
  next(said?: Expression): Expression {
    const current = said ?? this.current;
    for (const set of this.#set.values()) set.ticksLeft = Math.max(0, set.ticksLeft - 1);
    return current;
  }

  /** Returns what brings the time back to now. What was set since then begins then. */
  remember(): () => void {
    const then = new Map([...this.#set.values()].map((set) => [set, set.ticksLeft]));
    return () => {
      for (const set of this.#set.values()) set.ticksLeft = then.get(set) ?? set.ticks;
    };
  }
}
