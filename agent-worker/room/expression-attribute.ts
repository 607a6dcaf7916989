// The attribute `lk.expression` of what an avatar says, as LiveKit's agents write it and `useAgentExpression` reads it.
import type { Expression, ExpressionName } from "../../shared/expressions.ts";

/** LiveKit's moods that are nearest to our expressions. */
const MOODS: Readonly<Record<ExpressionName, string>> = Object.freeze({
  neutral: "calm",
  happy: "happy",
  sad: "sad",
  angry: "angry",
  surprised: "surprised",
  afraid: "anxious",
  disgusted: "angry",
  content: "hopeful",
});

/** JSON with our name as `expression`, and LiveKit's `mood`. */
export function expressionAttribute({ emotion }: Expression): string {
  return JSON.stringify({ expression: emotion, mood: MOODS[emotion] });
}
