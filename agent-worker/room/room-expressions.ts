// Expressions in a room: those that participants request.
import { LatestEachFrame } from "../../room/latest-each-frame.ts";
import { EXPRESSION_NAMES, type Expression, type ExpressionName } from "../../shared/expressions.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import { type ExpressionRequest, parseExpressionRequest } from "./expression-request.ts";

/** Answer to `set_emotion`. */
export type ExpressionAnswer =
  | { emotion: ExpressionName; intensity: number; status: "success" }
  | { status: "error"; message: string; emotions: readonly ExpressionName[] };

/** What a participant has set, for the next process of the session. */
export interface RequestedExpression {
  expression: Expression;
  /** Undefined until it is set again. */
  leftMs?: number;
}

export interface RoomExpressionsOptions {
  engine: Pick<Engine, "express" | "mood">;
  /** Monotonic, ms. Default: the machine's clock. */
  now?(): number;
}

/** The expressions that the participants of a room request: everyone may. The face gets one for each frame at most, the
 *  last. No method throws. */
export class RoomExpressions {
  readonly #engine: RoomExpressionsOptions["engine"];
  readonly #face: LatestEachFrame<ExpressionRequest>;
  readonly #now: () => number;
  /** What was requested last, until when. */
  #last: { expression: Expression; untilMs: number } | undefined;

  constructor({ engine, now = () => performance.now() }: RoomExpressionsOptions) {
    this.#engine = engine;
    this.#now = now;
    this.#face = new LatestEachFrame(
      ({ expression, durationMs }) => engine.express("request", expression, durationMs),
      now,
    );
  }

  /** Answers a request of a participant, as JSON. */
  perform(payload: string): string {
    return JSON.stringify(this.#answer(payload));
  }

  /** What a participant has set and still holds. */
  get requested(): RequestedExpression | undefined {
    if (!this.#last) return undefined;
    const { expression, untilMs } = this.#last;
    if (untilMs === Number.POSITIVE_INFINITY) return { expression };
    const leftMs = untilMs - this.#now();
    return leftMs > 0 ? { expression, leftMs } : undefined;
  }

  /** What a participant has set, or the mood of the face. */
  get current(): Expression {
    return this.requested?.expression ?? this.#engine.mood;
  }

  /** Goes on with what was set in an earlier process. */
  restore({ expression, leftMs }: RequestedExpression): void {
    this.#set({ expression, durationMs: leftMs });
  }

  /** What waits is not set any more. Idempotent. */
  close(): void {
    this.#face.close();
  }

  #set(request: ExpressionRequest): void {
    const { expression, durationMs = Number.POSITIVE_INFINITY } = request;
    this.#last = expression ? { expression, untilMs: this.#now() + durationMs } : undefined;
    this.#face.push(request);
  }

  #answer(payload: string): ExpressionAnswer {
    try {
      const request = parseExpressionRequest(payload);
      this.#set(request);
      return { ...(request.expression ?? this.#engine.mood), status: "success" };
    } catch (error) {
      return { status: "error", message: (error as RangeError).message, emotions: EXPRESSION_NAMES };
    }
  }
}
