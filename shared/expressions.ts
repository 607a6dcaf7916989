// The expressions that every face can show, and how one is written: a name, or a name with an intensity.

export const EXPRESSION_NAMES = Object.freeze([
  "neutral",
  "happy",
  "sad",
  "angry",
  "surprised",
  "afraid",
  "disgusted",
  "content",
] as const);

export type ExpressionName = (typeof EXPRESSION_NAMES)[number];

export interface Expression {
  readonly emotion: ExpressionName;
  /** 0..1. */
  readonly intensity: number;
}

export const NEUTRAL: Expression = Object.freeze({ emotion: "neutral", intensity: 1 });

/** A name, optionally with a colon and an intensity. */
const WRITTEN = /^([^:]*)(?::(\d+(?:\.\d*)?|\.\d+))?$/;
/** What `parseExpression` reads. */
export const EXPRESSION_PATTERN = new RegExp(`^(${EXPRESSION_NAMES.join("|")})(:(0(\\.\\d*)?|\\.\\d+|1(\\.0*)?))?$`);
/** What is wrong with a text that it does not match, as a sentence without its subject. */
export const EXPRESSION_RULE = `must be one of ${EXPRESSION_NAMES.join(", ")}, or one with an intensity from 0 to 1, such as happy:0.6`;
/** Longest text that an error repeats, in characters. */
const MAX_QUOTED = 40;

/** Whether an expression has this very name. */
export function isExpressionName(name: unknown): name is ExpressionName {
  return (EXPRESSION_NAMES as readonly unknown[]).includes(name);
}

/** The expression of a name, with an intensity of 0..1. Throws RangeError, which lists the names, for anything else. */
export function expressionOf(emotion: unknown, intensity: unknown = 1): Expression {
  if (!isExpressionName(emotion)) {
    const named = typeof emotion === "string" ? `"${emotion.slice(0, MAX_QUOTED)}"` : "this";
    throw new RangeError(`There is no expression ${named}. The expressions are ${EXPRESSION_NAMES.join(", ")}.`);
  }
  if (typeof intensity !== "number" || !(intensity >= 0 && intensity <= 1)) {
    throw new RangeError("The intensity of an expression must be a number from 0 to 1.");
  }
  return { emotion, intensity };
}

/** Reads `happy` or `happy:0.6`. Throws RangeError, which lists the names, for anything else. */
export function parseExpression(text: string): Expression {
  const [, name, intensity] = WRITTEN.exec(text) ?? [];
  if (name === undefined) {
    // The name is known by itself: what follows it is wrong.
    return expressionOf(text.slice(0, Math.max(0, text.indexOf(":"))), Number.NaN);
  }
  return expressionOf(name, intensity === undefined ? 1 : Number(intensity));
}

/** As `parseExpression` reads it. */
export function formatExpression({ emotion, intensity }: Expression): string {
  // At most three decimals, never in powers of ten.
  return intensity === 1 ? emotion : `${emotion}:${Math.round(intensity * 1000) / 1000}`;
}

export function isSameExpression(one: Expression, other: Expression): boolean {
  return one.emotion === other.emotion && one.intensity === other.intensity;
}
