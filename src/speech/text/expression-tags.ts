// Expressions in a text: `[happy]` or `[sad:0.4]` before the words from which the face shows them.
import { EXPRESSION_NAMES, type Expression, formatExpression, parseExpression } from "../../../shared/expressions.ts";

export interface ExpressionTag {
  expression: Expression;
  /** Where it stood: before this character of the text without tags. */
  at: number;
}

export interface TaggedText {
  /** Without the tags. */
  text: string;
  /** In their order. */
  tags: readonly ExpressionTag[];
}

/** No tag if it is followed by what makes it a link. */
const TAG = new RegExp(`\\[((?:${EXPRESSION_NAMES.join("|")})(?::\\d*\\.?\\d*)?)\\](?![([])`, "y");
/** The end of a text that may become a tag with what follows. */
const UNFINISHED = /(?:\\|\[[a-z]{0,12}(?::[\d.]{0,8})?\]?)$/;
const SPECIAL = /[[\\`]/g;

/** The tag that stands before the words with which the face shows an expression. */
export function expressionTag(expression: Expression): string {
  return `[${formatExpression(expression)}]`;
}

/** Takes the tags out of a text. What is escaped, in code, part of a link, or has an intensity out of range is no tag
 *  and stays in the text. Never throws. */
export function takeExpressionTags(text: string): TaggedText {
  const tags: ExpressionTag[] = [];
  /** Runs of so many backticks are not closed any more. */
  const unclosed = new Set<number>();
  let plain = "";
  let from = 0;
  SPECIAL.lastIndex = 0;
  for (let found = SPECIAL.exec(text); found; found = SPECIAL.exec(text)) {
    const at = found.index;
    if (found[0] === "\\") SPECIAL.lastIndex = at + 2;
    else if (found[0] === "`") SPECIAL.lastIndex = endOfCode(text, at, unclosed);
    else {
      const tag = text[at - 1] === "[" ? null : readTag(text, at);
      if (!tag) continue;
      plain += text.slice(from, at);
      from = at + tag.length;
      // One of two spaces goes with it.
      if ((plain === "" || /\s$/.test(plain)) && /\s/.test(text.charAt(from))) from += 1;
      tags.push({ expression: tag.expression, at: plain.length });
      SPECIAL.lastIndex = from;
    }
  }
  return { text: plain + text.slice(from), tags };
}

/** How much of a text the tag takes that it begins with, with the space behind it. 0 without one, or while nothing has
 *  come behind it: it may become a link. */
export function leadingTagLength(text: string): number {
  const length = text[0] === "[" ? (readTag(text, 0)?.length ?? 0) : 0;
  if (length === 0 || length === text.length) return 0;
  return /\s/.test(text[length]) ? length + 1 : length;
}

/** Joins pieces of a text so that no tag is cut in two. */
export class UncutTags {
  #kept = "";

  /** Returns what may be read of the text so far. */
  add(piece: string): string {
    const text = this.#kept + piece;
    const at = UNFINISHED.exec(text)?.index ?? text.length;
    this.#kept = text.slice(at);
    return text.slice(0, at);
  }

  /** Returns the rest: no more text comes. */
  end(): string {
    const rest = this.#kept;
    this.#kept = "";
    return rest;
  }
}

function readTag(text: string, at: number): { expression: Expression; length: number } | null {
  TAG.lastIndex = at;
  const found = TAG.exec(text);
  if (!found) return null;
  try {
    return { expression: parseExpression(found[1]), length: found[0].length };
  } catch {
    return null;
  }
}

/** Behind the code that begins with the backticks at `at`, or behind these if nothing closes it. */
function endOfCode(text: string, at: number, unclosed: Set<number>): number {
  let end = at;
  while (text[end] === "`") end += 1;
  const length = end - at;
  const closing = unclosed.has(length) ? -1 : text.indexOf("`".repeat(length), end);
  if (closing < 0) unclosed.add(length);
  return closing < 0 ? end : closing + length;
}
