// Expressions in a room: those that participants request.
import { LatestEachFrame } from "../../room/latest-each-frame.ts";
import { EXPRESSION_NAMES, type ExpressionName } from "../../shared/expressions.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import { type ExpressionRequest, parseExpressionRequest } from "./expression-request.ts";

/** Answer to `set_emotion`. */
export type ExpressionAnswer =
  | { emotion: ExpressionName; intensity: number; status: "success" }
  | { status: "error"; message: string; emotions: readonly ExpressionName[] };

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

  constructor({ engine, now }: RoomExpressionsOptions) {
    this.#engine = engine;
    this.#face = new LatestEachFrame(
      ({ expression, durationMs }) => engine.express("request", expression, durationMs),
      now,
    );
  }

  /** Answers a request of a participant, as JSON. */
  perform(payload: string): string {
    return JSON.stringify(this.#answer(payload));
  }

  /** What waits is not set any more. Idempotent. */
  close(): void {
    this.#face.close();
  }

  #answer(payload: string): ExpressionAnswer {
    try {
      const request = parseExpressionRequest(payload);
      this.#face.push(request);
      return { ...(request.expression ?? this.#engine.mood), status: "success" };
    } catch (error) {
      return { status: "error", message: (error as RangeError).message, emotions: EXPRESSION_NAMES };
    }
  }
}
