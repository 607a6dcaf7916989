// Parses an option that counts.
import { CliError } from "../terminal/cli-error.ts";

/** A whole number from 1 to `most`. Throws CliError(usage) with the name of the option for any other text. */
export function parseCount(text: string, option: string, most: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new CliError("usage", `${option} must be a whole number from 1 to ${most}, not ${text}.`);
}
