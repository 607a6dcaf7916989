// The attribute `lk.expression` of a transcription: what an agent's voice expresses.
import { type Expression, isExpressionName } from "../../shared/expressions.ts";

/** Longer values are not read, in UTF-16 units. */
const MAX_CHARACTERS = 4_096;

/** The moods of LiveKit's agents, as our faces show them. */
const MOODS: Readonly<Record<string, Expression>> = {
  excited: { emotion: "happy", intensity: 1 },
  happy: { emotion: "happy", intensity: 0.8 },
  playful: { emotion: "happy", intensity: 0.6 },
  curious: { emotion: "surprised", intensity: 0.35 },
  surprised: { emotion: "surprised", intensity: 0.8 },
  hopeful: { emotion: "content", intensity: 0.8 },
  empathetic: { emotion: "sad", intensity: 0.4 },
  sad: { emotion: "sad", intensity: 0.8 },
  angry: { emotion: "angry", intensity: 0.8 },
  anxious: { emotion: "afraid", intensity: 0.6 },
  calm: { emotion: "neutral", intensity: 1 },
};

/** The expression of `{"expression", "mood"}`, or of a plain name: one of our names first, then the mood. Null if it
 *  names neither. Never throws. */
export function readExpression(attribute: string): Expression | null {
  if (attribute.length > MAX_CHARACTERS) return null;
  const { expression, mood } = payloadOf(attribute);
  const name = expression.trim().toLowerCase();
  if (isExpressionName(name)) return { emotion: name, intensity: 1 };
  return Object.hasOwn(MOODS, mood) ? MOODS[mood] : null;
}

function payloadOf(attribute: string): { expression: string; mood: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(attribute);
  } catch {
    return { expression: attribute, mood: attribute.trim().toLowerCase() };
  }
  if (typeof parsed !== "object" || parsed === null) return { expression: "", mood: "" };
  const { expression, mood } = parsed as Record<string, unknown>;
  return { expression: typeof expression === "string" ? expression : "", mood: typeof mood === "string" ? mood : "" };
}
