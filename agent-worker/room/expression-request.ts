// The payload of `set_emotion`.
import { z } from "zod";
import { type Expression, expressionOf } from "../../shared/expressions.ts";

/** An expression that a participant requests; null for the default mood. */
export interface ExpressionRequest {
  expression: Expression | null;
  /** Undefined until it is set again. */
  durationMs: number | undefined;
}

const payloadSchema = z.object({
  emotion: z.unknown(),
  intensity: z.unknown(),
  duration_ms: z.unknown(),
});

/** Throws RangeError with the reason, which lists the names if the name is wrong. */
export function parseExpressionRequest(payload: string): ExpressionRequest {
  const parsed = payloadSchema.partial().safeParse(parseJson(payload));
  if (!parsed.success) throw new RangeError('The payload must be JSON such as {"emotion": "happy"}.');
  const { emotion, intensity, duration_ms: durationMs } = parsed.data;
  if (durationMs !== undefined && durationMs !== null && !isPositive(durationMs)) {
    throw new RangeError("duration_ms must be a number above 0.");
  }
  return {
    expression: emotion === null ? null : expressionOf(emotion, intensity ?? undefined),
    durationMs: durationMs ?? undefined,
  };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
