// The function with which a realtime server sets what the face shows.
import { EXPRESSION_NAMES, type Expression, expressionOf } from "../../../shared/expressions.ts";

export const EXPRESSION_FUNCTION = Object.freeze({
  name: "set_expression",
  description:
    "Shows a feeling on your face while you speak. Where one fits, call this before you speak, once. Never mention it.",
  parameters: {
    type: "object",
    properties: {
      emotion: { type: "string", enum: EXPRESSION_NAMES },
      intensity: { type: "number", minimum: 0, maximum: 1, description: "Default 1." },
    },
    required: ["emotion"],
  },
});

/** The expression that a call names. `args`: JSON, unchecked. Throws RangeError, which lists the names if the name is
 *  wrong. */
export function readExpressionCall(args: string | undefined): Expression {
  let parsed: unknown;
  try {
    parsed = JSON.parse(args || "{}");
  } catch {
    throw new RangeError("The arguments are no JSON.");
  }
  const { emotion, intensity } = Object(parsed) as Record<string, unknown>;
  return expressionOf(emotion, intensity ?? undefined);
}
