// Parses `--emotion`.
import { type Expression, parseExpression } from "../../shared/expressions.ts";
import { CliError } from "../terminal/cli-error.ts";

/** A name, optionally with an intensity. Throws CliError `usage`, which lists the names, for anything else. */
export function parseEmotion(text: string): Expression {
  try {
    return parseExpression(text);
  } catch (cause) {
    throw new CliError("usage", `--emotion: ${(cause as RangeError).message}`, { cause });
  }
}
